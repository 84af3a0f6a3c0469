package command

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/cli"
)

// TestOpenPage: the browser gets a link without the token of the page.
func TestOpenPage(t *testing.T) {
	dir := t.TempDir()
	script := filepath.Join(dir, "browser")
	if err := os.WriteFile(script, []byte("#!/bin/sh\necho \"opened $1\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("BROWSER", script)
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost && r.URL.Path == "/token/link" {
			_, _ = w.Write([]byte(`{"url": "http://127.0.0.1:1/once/abc"}`))
			return
		}
		http.NotFound(w, r)
	}))
	t.Cleanup(page.Close)
	var out bytes.Buffer
	streams := cli.Streams{Out: &out, Err: &out}
	if err := openPage(t.Context(), streams, page.URL+"/token/"); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); got != "opened http://127.0.0.1:1/once/abc\n" {
		t.Errorf("the browser: %q", got)
	}
	err := openPage(t.Context(), streams, page.URL+"/elsewhere/")
	if err == nil || !strings.Contains(err.Error(), "'cosi-emu ui' prints") || strings.Contains(err.Error(), "elsewhere") {
		t.Errorf("openPage() of an older page = %v, want advice without the token", err)
	}
	t.Setenv("BROWSER", "")
	t.Setenv("PATH", dir)
	if err := openPage(t.Context(), streams, page.URL+"/token/"); err == nil || !strings.Contains(err.Error(), "set BROWSER") {
		t.Errorf("openPage() without a browser = %v", err)
	}
}
