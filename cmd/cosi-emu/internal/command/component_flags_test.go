package command

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/emulator"
)

func TestOwnComponents(t *testing.T) {
	dir := t.TempDir()
	program, manifest := filepath.Join(dir, "my sidecar"), filepath.Join(dir, "rbac.yaml")
	for file, mode := range map[string]os.FileMode{program: 0o700, manifest: 0o600} {
		if err := os.WriteFile(file, []byte("kind: ServiceAccount"), mode); err != nil {
			t.Fatal(err)
		}
	}
	tests := map[string]struct {
		flags ownComponents
		opts  emulator.Options
		want  emulator.Implementations
		err   string
	}{
		"None": {},
		"Quoted": {
			flags: ownComponents{sidecar: "'" + program + `' --endpoint=$(COSI_ENDPOINT) --name "a b"`},
			want:  emulator.Implementations{SidecarCommand: []string{program, "--endpoint=$(COSI_ENDPOINT)", "--name", "a b"}},
		},
		"Rights": {
			flags: ownComponents{controller: "'" + program + "'", controllerRBAC: manifest},
			want:  emulator.Implementations{ControllerCommand: []string{program}, ControllerRBAC: []byte("kind: ServiceAccount")},
		},
		"Missing": {
			flags: ownComponents{controller: "./no-such-program --now"},
			err: `--controller-cmd "./no-such-program --now": exec: "./no-such-program": ` +
				"stat ./no-such-program: no such file or directory; give its path",
		},
		"Unquoted": {flags: ownComponents{sidecar: `sh -c 'true`}, err: `--sidecar-cmd "sh -c 'true": EOF found when expecting closing quote`},
		"Blank":    {flags: ownComponents{sidecar: " "}, err: `--sidecar-cmd " ": the command line names no program`},
		"NoCommand": {
			flags: ownComponents{sidecarRBAC: manifest}, err: "--sidecar-rbac requires --sidecar-cmd",
		},
		"NoDriver": {
			flags: ownComponents{sidecar: "'" + program + "'"}, opts: emulator.Options{NoDriver: true},
			err: "--sidecar-cmd and --no-fake-driver exclude each other: the sidecar would have no driver to serve",
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			err := tc.flags.apply(&tc.opts)
			got := ""
			if err != nil {
				got = err.Error()
			}
			if got != tc.err {
				t.Fatalf("apply() = %q, want %q", got, tc.err)
			}
			if diff := cmp.Diff(tc.want, tc.opts.Implementations); tc.err == "" && diff != "" {
				t.Errorf("implementations (-want +got):\n%s", diff)
			}
		})
	}
}
