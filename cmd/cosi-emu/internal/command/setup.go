package command

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/cli"
	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/progress"
	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/startup"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/binaries"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/envtest"
)

func newSetup(streams cli.Streams) *cobra.Command {
	var (
		opts    = binaries.Options{Complete: true}
		timeout time.Duration
		output  string
	)
	cmd := &cobra.Command{
		Use:   "setup",
		Short: "Download or build the programs of the control plane",
		Long: `Get etcd, kube-apiserver and kube-controller-manager into the user's cache, as
'cosi-emu up' does if they are missing: by download, or by a build with the go
command, which takes some minutes, once. After that 'up' starts in seconds.`,
		Example: `  cosi-emu setup
  cosi-emu setup -o json`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := cli.CheckOutput(output, cli.FormatText, cli.FormatJSON); err != nil {
				return err
			}
			if err := envtest.Supported(); err != nil {
				return err
			}
			ctx, cancel := context.WithTimeout(cmd.Context(), timeout)
			defer cancel()
			set, err := findBinaries(ctx, streams, opts)
			if err != nil {
				return err
			}
			return printSet(streams, set, output)
		},
	}
	cmd.Flags().StringVar(&opts.Dir, "control-plane-dir", "", "directory to check instead of the cache")
	cmd.Flags().DurationVar(&timeout, "timeout", startup.DefaultTimeout, "time limit for the download or build")
	cli.AddOutput(cmd.Flags(), &output, cli.FormatText, cli.FormatJSON)
	return cmd
}

func findBinaries(ctx context.Context, streams cli.Streams, opts binaries.Options) (binaries.Set, error) {
	const phase = "control plane programs"
	reporter := progress.New(streams.Err)
	begin := time.Now()
	opts.Progress = func(u binaries.Update) { u.Report(reporter, phase) }
	reporter.PhaseStarted(phase)
	set, err := binaries.Find(ctx, opts)
	reporter.PhaseEnded(phase, time.Since(begin), err)
	return set, errors.Join(err, reporter.Close())
}

func printSet(streams cli.Streams, set binaries.Set, output string) error {
	if output == cli.FormatJSON {
		return cli.PrintJSON(streams, map[string]string{
			"etcd": set.Etcd, "kubeAPIServer": set.APIServer, "kubeControllerManager": set.ControllerManager,
			"version": set.Version, "source": set.Source, "missing": set.Missing,
		})
	}
	for _, path := range []string{set.Etcd, set.APIServer, set.ControllerManager} {
		if path == "" {
			continue
		}
		if _, err := fmt.Fprintln(streams.Out, path); err != nil {
			return err
		}
	}
	if set.Missing != "" {
		_, err := fmt.Fprintln(streams.Out, "Warning:", set.Missing)
		return err
	}
	return nil
}
