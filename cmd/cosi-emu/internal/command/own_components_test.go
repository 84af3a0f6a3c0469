package command

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"

	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/startup"
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
		args []string
		opts emulator.Options
		want emulator.Implementations
		err  string
	}{
		"None": {},
		"Quoted": {
			args: []string{"--sidecar-cmd", "'" + program + `' --endpoint=$(COSI_ENDPOINT) --name "a b"`},
			want: emulator.Implementations{SidecarCommand: []string{program, "--endpoint=$(COSI_ENDPOINT)", "--name", "a b"}},
		},
		"Rights": {
			args: []string{"--controller-cmd", "'" + program + "'", "--controller-rbac", manifest},
			want: emulator.Implementations{ControllerCommand: []string{program}, ControllerRBAC: []byte("kind: ServiceAccount")},
		},
		"Missing": {
			args: []string{"--controller-cmd", "./no-such-program --now"},
			err: `--controller-cmd "./no-such-program --now": exec: "./no-such-program": ` +
				"stat ./no-such-program: no such file or directory; give its path",
		},
		"Unquoted": {args: []string{"--sidecar-cmd", `sh -c 'true`}, err: `--sidecar-cmd "sh -c 'true": EOF found when expecting closing quote`},
		"Blank":    {args: []string{"--sidecar-cmd", " "}, err: `--sidecar-cmd " ": the command line names no program`},
		"NoCommand": {
			args: []string{"--sidecar-rbac", manifest}, err: "--sidecar-rbac requires --sidecar-cmd",
		},
		"DriverRights": {
			args: []string{"--driver-cmd", "'" + program + "'", "--driver-rbac", manifest},
			want: emulator.Implementations{DriverCommand: []string{program}, DriverRBAC: []byte("kind: ServiceAccount")},
		},
		"NoDriverForRights": {
			args: []string{"--driver-rbac", manifest},
			err:  "--driver-rbac requires --driver-cmd or --driver: the fake driver reads no Kubernetes objects",
		},
		"NoDriverForParameters": {
			args: []string{"--params", manifest},
			err:  "--params requires --driver-cmd or --driver: it has the parameters of the classes for your driver",
		},
		"Parameters": {
			args: []string{"--driver-cmd", "'" + program + "'", "--params", manifest},
			err:  "--params " + manifest + `: error unmarshaling JSON: while decoding JSON: json: unknown field "kind"`,
		},
		"NoDriver": {
			args: []string{"--sidecar-cmd", "'" + program + "'"}, opts: emulator.Options{NoDriver: true},
			err: "--sidecar-cmd and --no-fake-driver exclude each other: the sidecar would have no driver to serve",
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			own, flags := startup.OwnComponents{}, pflag.NewFlagSet("up", pflag.ContinueOnError)
			own.AddFlags(flags)
			if err := flags.Parse(tc.args); err != nil {
				t.Fatal(err)
			}
			err := own.Apply(&tc.opts)
			got := ""
			if err != nil {
				got = err.Error()
			}
			if got != tc.err {
				t.Fatalf("Apply() = %q, want %q", got, tc.err)
			}
			if diff := cmp.Diff(tc.want, tc.opts.Implementations); tc.err == "" && diff != "" {
				t.Errorf("implementations (-want +got):\n%s", diff)
			}
		})
	}
}
