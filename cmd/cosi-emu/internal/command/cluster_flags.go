package command

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/pflag"

	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/cli"
	"github.com/cosi-emu/cosi-emu/emulator/cluster"
	"github.com/cosi-emu/cosi-emu/emulator/session"
)

// existing holds the flags for somebody else's cluster.
type existing struct {
	wanted              bool
	kubeconfig, context string
	install             bool
}

func (x *existing) addFlags(flags *pflag.FlagSet) {
	flags.BoolVar(&x.wanted, "existing-cluster", false,
		"run controller, sidecar, driver and S3 store on this machine against a cluster, instead of starting a control plane")
	flags.StringVar(&x.kubeconfig, "kubeconfig", "", "kubeconfig file of the existing cluster (default: $KUBECONFIG, then ~/.kube/config)")
	flags.StringVar(&x.context, "context", "", "context of the existing cluster (default: the current one)")
	flags.BoolVar(&x.install, "install", false, "install the COSI kinds and rights that the existing cluster lacks, until the emulator stops")
}

// validate refuses flags that mean nothing together.
func (x *existing) validate(opts session.Options) error {
	if !x.wanted {
		if x.kubeconfig != "" || x.context != "" || x.install {
			return cli.Usage(fmt.Errorf("--kubeconfig, --context and --install are of --existing-cluster, which is not given"))
		}
		return nil
	}
	for flag, given := range map[string]bool{
		"--api-server-port":   opts.Emulator.APIServerPort != 0,
		"--control-plane-dir": opts.Emulator.Binaries.Dir != "",
	} {
		if given {
			return cli.Usage(fmt.Errorf("--existing-cluster and %s exclude each other: no control plane is started", flag))
		}
	}
	if opts.DataDir != "" {
		return cli.Usage(fmt.Errorf("--existing-cluster and --data-dir exclude each other: the objects are in the cluster, " +
			"and the buckets end with the emulator"))
	}
	return nil
}

// open reads the kubeconfig of the cluster that is wanted.
func (x *existing) open(opts *session.Options) (err error) {
	if !x.wanted {
		return nil
	}
	opts.Emulator.Install = x.install
	opts.Emulator.Cluster, err = cluster.Open(cluster.Options{Kubeconfig: x.kubeconfig, Context: x.context, Owner: opts.Name})
	return err
}

// printLeft says what is left in a cluster.
func printLeft(w io.Writer, context string, left []string) error {
	if len(left) == 0 {
		return nil
	}
	const shown = 20
	var text strings.Builder
	fmt.Fprintf(&text, "Left in the cluster of context %q:\n\n", context)
	for _, line := range left[:min(shown, len(left))] {
		fmt.Fprintf(&text, "  %s\n", line)
	}
	if more := len(left) - shown; more > 0 {
		fmt.Fprintf(&text, "  and %d more\n", more)
	}
	text.WriteString("\nBuckets, claims and accesses can be deleted when a controller and a driver of the same name run again.\n")
	_, err := io.WriteString(w, text.String())
	return err
}
