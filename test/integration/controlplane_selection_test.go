// The tests of this file guard the choice of a control plane: internal/controlplane/selection.

package integration_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/controlplane/binaries"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/envtest"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/kind"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/selection"
)

// silentIndex returns the URL of a server that accepts connections and answers nothing.
func silentIndex(t *testing.T) string {
	t.Helper()
	done := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-r.Context().Done():
		case <-done:
		}
	}))
	t.Cleanup(server.Close)
	t.Cleanup(func() { close(done) }) // before the server waits for its handlers
	return server.URL
}

// emptyIndex returns the URL of a list of releases without one for this version.
func emptyIndex(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "releases: {}\n")
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// TestAutoFallsBack: if the programs are neither cached nor downloadable, Auto does not wait and
// does not build.
func TestAutoFallsBack(t *testing.T) {
	t.Setenv(binaries.AssetsVariable, "")
	cases := map[string]struct {
		reason string
		index  func(*testing.T) string
		says   string
	}{
		"NoNetwork": {"the connection is rejected", func(*testing.T) string { return "http://127.0.0.1:1/index" }, "connection refused"},
		"NoName":    {"the name has no address", func(*testing.T) string { return "http://releases.invalid/index" }, "releases.invalid"},
		"Silent":    {"a firewall drops what is sent", silentIndex, "no answer within 750ms"},
		"NoRelease": {"envtest has not published this version yet", emptyIndex, "no release is published"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			opts := binaries.Options{
				CacheDir: t.TempDir(), IndexURL: c.index(t),
				GoCommand: filepath.Join(t.TempDir(), "go"), // a build would fail without it
			}
			choice, err := selection.Choose(t.Context(), kind.Auto, opts)
			if err != nil {
				t.Fatalf("%s: %v", c.reason, err)
			}
			if choice.Kind != kind.Embedded {
				t.Errorf("%s: the choice is %q", c.reason, choice.Kind)
			}
			notice := choice.Notice
			if envtest.Supported() == nil && (!strings.Contains(notice, "`cosi-emu setup`") || !strings.Contains(notice, c.says)) {
				t.Errorf("%s: the notice does not say %q, or how to get the programs: %s", c.reason, c.says, notice)
			}
			if notice == "" || strings.Contains(notice, "\n") {
				t.Errorf("%s: the notice is not one line: %q", c.reason, notice)
			}
		})
	}
}

// TestAutoPrefersPrograms: Auto uses programs that were named, and asks no server.
func TestAutoPrefersPrograms(t *testing.T) {
	if err := envtest.Supported(); err != nil {
		t.Skip(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, program := range []string{binaries.Etcd, binaries.APIServer} {
		if err := os.Symlink(self, filepath.Join(dir, program)); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv(binaries.AssetsVariable, dir)
	options := binaries.Options{CacheDir: t.TempDir(), IndexURL: silentIndex(t), IndexTimeout: time.Hour}
	choice, err := selection.Choose(t.Context(), kind.Auto, options)
	if err != nil {
		t.Fatal(err)
	}
	if choice.Kind != kind.Envtest || choice.Binaries.Etcd != filepath.Join(dir, binaries.Etcd) {
		t.Errorf("the choice is %q with %s", choice.Kind, choice.Binaries.Etcd)
	}
}
