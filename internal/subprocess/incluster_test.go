package subprocess

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestWithoutForeignCluster: a driver gets the variables of in-cluster configuration only with the
// Pod's files of its emulator.
func TestWithoutForeignCluster(t *testing.T) {
	own, foreign := t.TempDir(), t.TempDir()
	for dir, token := range map[string]string{own: "own", foreign: "foreign"} {
		if err := os.WriteFile(filepath.Join(dir, TokenFile), []byte(token), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	link := filepath.Join(t.TempDir(), "serviceaccount")
	if err := os.Symlink(own, link); err != nil {
		t.Fatal(err)
	}
	all := map[string]string{VariableServiceHost: "127.0.0.1", VariableServicePort: "6443", VariablePodNamespace: "ns"}
	rest := map[string]string{VariablePodNamespace: "ns"}
	for name, tc := range map[string]struct {
		pods string
		want map[string]string
	}{
		"Link": {link, all}, "Foreign": {foreign, rest}, "None": {filepath.Join(own, "none"), rest},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, without(all, own, tc.pods)); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
		})
	}
}
