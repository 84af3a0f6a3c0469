// Package command is the command line of cosi-emu, a file for each command. It
// reads flags, calls the packages that do the work, and prints; it can be called
// as a function.
package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/cli"
	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/fault"
)

// envPrefix begins the environment variables that stand for flags.
const envPrefix = "COSI_EMU_"

// Run runs the program with the arguments that follow its name, and returns its
// exit code: 0 for success, 1 for a failure, 2 for wrong usage.
func Run(ctx context.Context, streams cli.Streams, args []string) int {
	root := newRoot(streams) //nolint:contextcheck // commands get it from ExecuteContext
	root.SetArgs(args)
	return cli.Code(streams.Err, root.ExecuteContext(ctx))
}

func newRoot(streams cli.Streams) *cobra.Command {
	root := &cobra.Command{
		Use:   "cosi-emu",
		Short: "The Container Object Storage Interface (COSI) of Kubernetes on one machine",
		Long: `cosi-emu runs the whole Container Object Storage Interface (COSI) of Kubernetes
on one machine: a real kube-apiserver, the COSI controller and sidecar, a driver,
and an S3 store that lets in nobody but those who were granted access.

Every flag can also be given as an environment variable: --data-dir as
COSI_EMU_DATA_DIR, and so on. The flag wins.`,
		Example: `  # Start it, and stop it with Ctrl-C.
  cosi-emu up

  # Start it in the background, look at it, stop it.
  cosi-emu up -d
  cosi-emu status
  cosi-emu down`,
		Version:                    version().Version,
		SuggestionsMinimumDistance: 2,
		Args:                       cli.KnownCommand,
		RunE:                       func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		SilenceErrors:              true,
		SilenceUsage:               true,
		PersistentPreRunE:          func(cmd *cobra.Command, _ []string) error { return flagsFromEnvironment(cmd.Flags()) },
	}
	root.SetVersionTemplate("{{.Name}} {{.Version}}\n")
	root.SetIn(streams.In)
	root.SetOut(streams.Out)
	root.SetErr(streams.Err)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return cli.Usage(fmt.Errorf("%w\nSee '%s --help'", err, cmd.CommandPath()))
	})
	root.AddCommand(
		newUp(streams), newDown(streams), newStatus(streams), newEnv(streams), newLogs(streams), newExec(streams), newExample(streams),
		newRun(streams), newLint(streams), newSchema(streams), fault.New(streams), newReplay(streams), newExplore(streams),
		newSetup(streams), newBench(streams), newController(streams), newSidecar(streams), newDriver(streams), newVersion(streams),
	)
	for _, cmd := range root.Commands() {
		cli.StrictArgs(cmd)
	}
	return root
}

// flagsFromEnvironment sets the flags that are not on the command line from the
// environment.
func flagsFromEnvironment(flags *pflag.FlagSet) error {
	var errs []error
	flags.VisitAll(func(flag *pflag.Flag) {
		name := envPrefix + strings.ToUpper(strings.ReplaceAll(flag.Name, "-", "_"))
		value, ok := os.LookupEnv(name)
		if !ok || flag.Changed || flag.Name == "help" {
			return
		}
		if err := flags.Set(flag.Name, value); err != nil {
			errs = append(errs, cli.Usage(fmt.Errorf("environment variable %s: %w", name, err)))
		}
	})
	return errors.Join(errs...)
}
