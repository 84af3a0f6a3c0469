package main_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestUI opens the page of an emulator, from its start and later, and runs what it saves.
func TestUI(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	info := h.up("--ui", "--control-plane", "embedded")
	if code, page := get(t, info.UI, nil); code != http.StatusOK || !strings.Contains(page, "<title>cosi-emu: default</title>") {
		t.Errorf("status %d: %.200s", code, page)
	}
	for _, args := range [][]string{{"status"}, {"ui"}} {
		if out := h.must(args...); !strings.Contains(out, info.UI) {
			t.Errorf("cosi-emu %v does not print %s: %s", args, info.UI, out)
		}
	}
	if got := h.info("status", "-o", "json").UI; got != info.UI {
		t.Errorf("status -o json has the URL %q, want %q", got, info.UI)
	}

	later := h.up("--name", "later", "--control-plane", "embedded")
	opened := h.info("ui", "--name", "later", "-o", "json").UI
	if code, _ := get(t, opened, nil); later.UI != "" || code != http.StatusOK {
		t.Errorf("before 'cosi-emu ui' the URL is %q; after it, the page has status %d", later.UI, code)
	}
	if got := h.info("status", "--name", "later", "-o", "json").UI; got != opened {
		t.Errorf("status -o json has the URL %q, want %q", got, opened)
	}

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
