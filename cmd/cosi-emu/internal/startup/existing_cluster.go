package startup

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/pflag"

	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/cli"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/internal/session"
)

type clusterFlags struct {
	wanted              bool
	kubeconfig, context string
	install             bool
}

func (f *clusterFlags) addFlags(flags *pflag.FlagSet) {
	flags.BoolVar(&f.wanted, "existing-cluster", false,
		"use a cluster instead of starting a control plane; the components run on this machine")
	flags.StringVar(&f.kubeconfig, "kubeconfig", "", "kubeconfig file of the existing cluster (default: $KUBECONFIG, then ~/.kube/config)")
	flags.StringVar(&f.context, "context", "", "context of the existing cluster (default: the current one)")
	flags.BoolVar(&f.install, "install", false, "install missing COSI kinds and RBAC rules in the existing cluster until the emulator stops")
}

func (f *clusterFlags) validate(opts session.Options) error {
	if !f.wanted {
		if f.kubeconfig != "" || f.context != "" || f.install {
			return cli.Usage(fmt.Errorf("--kubeconfig, --context and --install require --existing-cluster"))
		}
		return nil
	}
	for flag, given := range map[string]bool{
		"--api-server-port":   opts.Emulator.APIServerPort != 0,
		"--control-plane":     opts.Emulator.ControlPlaneKind != "",
		"--control-plane-dir": opts.Emulator.ControlPlaneDir != "",
	} {
		if given {
			return cli.Usage(fmt.Errorf("--existing-cluster and %s exclude each other: no control plane is started", flag))
		}
	}
	if opts.DataDir != "" {
		return cli.Usage(fmt.Errorf("--existing-cluster and --data-dir exclude each other: the cluster keeps the objects, " +
			"and the buckets are in memory"))
	}
	return nil
}

func (f *clusterFlags) apply(opts *session.Options) {
	if !f.wanted {
		return
	}
	opts.Emulator.Install = f.install
	opts.Emulator.Cluster = &emulator.ExistingCluster{Kubeconfig: f.kubeconfig, Context: f.context, Owner: opts.Name}
}

// PrintLeft prints the objects that remain in an existing cluster.
func PrintLeft(w io.Writer, context string, left []string) error {
	if len(left) == 0 {
		return nil
	}
	const shown = 20
	var text strings.Builder
	fmt.Fprintf(&text, "These objects remain in the cluster of context %q:\n\n", context)
	for _, line := range left[:min(shown, len(left))] {
		fmt.Fprintf(&text, "  %s\n", line)
	}
	if more := len(left) - shown; more > 0 {
		fmt.Fprintf(&text, "  and %d more\n", more)
	}
	text.WriteString("\nTo delete buckets, claims and accesses, run a controller and a driver of the same name.\n")
	_, err := io.WriteString(w, text.String())
	return err
}
