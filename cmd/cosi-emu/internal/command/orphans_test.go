package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cosi-emu/cosi-emu/internal/orphans"
)

// TestOrphanKinds: the help and the documentation explain each kind of orphan.
func TestOrphanKinds(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../../docs/production.md")
	if err != nil {
		t.Fatal(err)
	}
	cmd, _, err := Root().Find([]string{"orphans"})
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range orphans.Kinds() {
		if !strings.Contains(cmd.Long, "\n  "+string(kind)+" ") {
			t.Errorf("the help does not explain %s", kind)
		}
		if !strings.Contains(string(page), "\n| `"+string(kind)+"` | ") {
			t.Errorf("docs/production.md has no row for %s", kind)
		}
	}
}

// TestOrphansRejects: wrong flags are rejected before anything is read.
func TestOrphansRejects(t *testing.T) {
	for name, test := range map[string]struct {
		args []string
		want string
	}{
		"two listings":     {[]string{"--s3-endpoint", "https://s3.example.com", "--list-command", "ls"}, "exclude each other"},
		"two clusters":     {[]string{"--name", "a", "--context", "b"}, "exclude each other"},
		"no URL":           {[]string{"--s3-endpoint", "s3.example.com"}, "--s3-endpoint: "},
		"missing command":  {[]string{"--list-command", "no-such-program-here"}, "no-such-program-here"},
		"missing accounts": {[]string{"--list-accounts-command", "no-such-program-here"}, "--list-accounts-command"},
		"format":           {[]string{"-o", "yaml"}, "output format"},
	} {
		t.Run(name, func(t *testing.T) {
			code, _, stderr := runCommandLine(t, append([]string{"orphans"}, test.args...)...)
			if code != 2 || !strings.Contains(stderr, test.want) {
				t.Errorf("exit code %d, want 2 with %q: %s", code, test.want, stderr)
			}
		})
	}
}

// TestClusterBesideNamedEmulator: the variable of 'cosi-emu env' does not keep a shell from reading a cluster.
func TestClusterBesideNamedEmulator(t *testing.T) {
	t.Setenv("COSI_EMU_NAME", "shop")
	missing := filepath.Join(t.TempDir(), "kubeconfig")
	for _, command := range [][]string{{"orphans"}, {"status", "--drivers"}} {
		code, _, stderr := runCommandLine(t, append(command, "--kubeconfig", missing)...)
		if code == 0 || !strings.Contains(stderr, missing) || strings.Contains(stderr, "--name") {
			t.Errorf("%s: exit code %d, want an error about the kubeconfig file alone: %s", command, code, stderr)
		}
	}
}
