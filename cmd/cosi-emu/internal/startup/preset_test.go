package startup

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/cli"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/internal/rights"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
)

func apply(t *testing.T, opts *emulator.Options, args ...string) error {
	t.Helper()
	var own OwnComponents
	flags := pflag.NewFlagSet("test", pflag.ContinueOnError)
	own.AddFlags(flags)
	if err := flags.Parse(args); err != nil {
		t.Fatal(err)
	}
	return own.Apply(opts)
}

// TestPreset: a program alone gets upstream's arguments, and one with arguments keeps them; both have
// upstream's rights.
func TestPreset(t *testing.T) {
	const program = "/bin/sh" // it exists everywhere
	tests := map[string]struct {
		preset              string
		controller, sidecar []string
		api                 objectstorage.Version
		dialect             dialects.Dialect
	}{
		"V0.2": {
			preset: "upstream-v0.2", api: objectstorage.V1alpha1,
			controller: []string{program, "--kubeconfig=$(KUBECONFIG)", "--v=5"}, sidecar: []string{program, "--mine"},
		},
		"V1alpha2": {
			preset: "upstream-v1alpha2", api: objectstorage.V1alpha2, dialect: dialects.OneMode,
			controller: []string{program, "--kubeconfig=$(KUBECONFIG)", "--health-probe-bind-address=$(PROBE_ADDRESS)"},
			sidecar:    []string{program, "--mine"},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			opts := emulator.Options{}
			err := apply(t, &opts, "--components", tc.preset, "--controller-cmd", program, "--sidecar-cmd", program+" --mine")
			if err != nil {
				t.Fatal(err)
			}
			own := opts.Implementations
			if diff := cmp.Diff([][]string{tc.controller, tc.sidecar}, [][]string{own.ControllerCommand, own.SidecarCommand}); diff != "" {
				t.Errorf("commands: -want, +got:\n%s", diff)
			}
			if opts.API != tc.api || opts.Dialect != tc.dialect {
				t.Errorf("kinds of %q, dialect %q; want %q, %q", opts.API, opts.Dialect, tc.api, tc.dialect)
			}
			for component, manifest := range map[string][]byte{"controller": own.ControllerRBAC, "sidecar": own.SidecarRBAC} {
				granted, err := rights.Of(manifest)
				if err != nil || granted.Account.Name != "upstream-"+component {
					t.Errorf("the rights of the %s are of %s, %v", component, granted.Account, err)
				}
			}
		})
	}
}

// TestPresetInCluster: the components have the rights that are installed in an existing cluster.
func TestPresetInCluster(t *testing.T) {
	own := OwnComponents{preset: "upstream-v0.2", controller: "/bin/sh", inCluster: true}
	opts := emulator.Options{}
	if err := own.Apply(&opts); err != nil || opts.Implementations.ControllerRBAC != nil {
		t.Errorf("%v, and a manifest with rights of %d bytes", err, len(opts.Implementations.ControllerRBAC))
	}
	if len(opts.Implementations.ControllerCommand) == 1 {
		t.Error("the program has no arguments")
	}
}

func TestPresetRejects(t *testing.T) {
	tests := map[string]struct {
		api  objectstorage.Version
		args []string
		want string
	}{
		"Unknown": {
			args: []string{"--components", "upstream", "--sidecar-cmd", "/bin/sh"},
			want: `"upstream" must be one of [upstream-v0.2 upstream-v1alpha2]`,
		},
		"NoProgram": {args: []string{"--components", "upstream-v0.2"}, want: "--components requires --controller-cmd or --sidecar-cmd"},
		"OtherKinds": {
			api: objectstorage.V1alpha2, args: []string{"--components", "upstream-v0.2", "--sidecar-cmd", "/bin/sh"}, want: "--api is v1alpha2",
		},
		"OnlySidecar": {args: []string{"--components", "upstream-v0.2", "--sidecar-cmd", "/bin/sh"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			opts := emulator.Options{API: tc.api}
			err := apply(t, &opts, tc.args...)
			switch {
			case tc.want == "":
				if err != nil || opts.Implementations.ControllerRBAC != nil {
					t.Errorf("%v, and the emulator's controller has the rights of another", err)
				}
			case err == nil || !cli.IsUsage(err) || !strings.Contains(err.Error(), tc.want):
				t.Errorf("the error is %v, want %q", err, tc.want)
			}
		})
	}
}
