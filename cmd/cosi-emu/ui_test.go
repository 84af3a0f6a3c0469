package main_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestUI opens the page of an emulator, from its start and later, and runs the scenario that it
// saves.
func TestUI(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	info := h.up("--ui", "--control-plane", "embedded")
	h.expectPage("default", info.UI)
	if out := h.must("status"); !strings.Contains(out, info.UI) {
		t.Errorf("cosi-emu status does not print %s: %s", info.UI, out)
	}
	if out := h.must("ui"); !strings.Contains(out, info.UI) {
		t.Errorf("cosi-emu ui does not print %s: %s", info.UI, out)
	}

	h.expectOpened(info.UI)
	if later := h.up("--name", "later", "--control-plane", "embedded"); later.UI != "" {
		t.Errorf("before 'cosi-emu ui' the URL is %q", later.UI)
	}
	h.expectPage("later", h.info("ui", "--name", "later", "-o", "json").UI)

	connect(t, info.Kubeconfig).quickstart()
	_, scenario := get(t, info.UI+"scenario.yaml", nil)
	if err := os.WriteFile(filepath.Join(h.dir, "saved.yaml"), []byte(scenario), 0o600); err != nil {
		t.Fatal(err)
	}
	if r := h.run("run", "saved.yaml", "--control-plane", "embedded"); r.code != 0 || !strings.Contains(scenario, "BucketAccess") {
		t.Errorf("run what the page saves: exit code %d\n%s%s\n%s", r.code, r.out, r.err, scenario)
	}
	if r := h.run("ui", "--name", "missing"); r.code == 0 || !strings.Contains(r.err, "missing") {
		t.Errorf("ui of an emulator that does not run: exit code %d, %s", r.code, r.err)
	}
}

// expectOpened expects that a browser gets a link to the page, and that neither its command line nor the program's has the token.
func (h *home) expectOpened(page string) {
	h.t.Helper()
	browser := h.write("browser", `#!/bin/sh
for pid in $$ $PPID; do ps -ww -o args= -p $pid; done
echo "link $1"
`)
	if err := os.Chmod(browser, 0o700); err != nil {
		h.t.Fatal(err)
	}
	cmd := h.command(h.t.Context(), "ui", "--open")
	cmd.Env = append(cmd.Env, "BROWSER="+browser)
	r := h.result(cmd, "cosi-emu ui --open")
	token := filepath.Base(page)
	if r.code != 0 || !strings.Contains(r.err, " ui --open\n") || strings.Contains(r.out+r.err, token) {
		h.t.Errorf("ui --open: exit code %d, want processes without the token %s:\n%s%s", r.code, token, r.out, r.err)
	}
	_, link, _ := strings.Cut(r.err, "\nlink ")
	code, text := get(h.t, strings.TrimSpace(link), nil)
	if code != http.StatusOK || !strings.Contains(text, "<title>cosi-emu: default</title>") {
		h.t.Errorf("the link %s leads to status %d: %.200s", link, code, text)
	}
	if code, _ := get(h.t, strings.TrimSpace(link), nil); code != http.StatusForbidden {
		h.t.Errorf("the link %s is valid twice: status %d", link, code)
	}
}

// expectPage expects the page of an emulator at a URL, which its status names.
func (h *home) expectPage(name, url string) {
	h.t.Helper()
	if code, page := get(h.t, url, nil); code != http.StatusOK || !strings.Contains(page, "<title>cosi-emu: "+name+"</title>") {
		h.t.Errorf("the page of %s has status %d: %.200s", name, code, page)
	}
	if got := h.info("status", "--name", name, "-o", "json").UI; got != url {
		h.t.Errorf("status -o json of %s has the URL %q, want %q", name, got, url)
	}
}
