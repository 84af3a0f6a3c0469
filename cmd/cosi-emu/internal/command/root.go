// Package command is the command line of cosi-emu: the root, and the commands of an emulator, one file a
// command. Commands read flags, call other packages, and print. Run calls the whole program as a function.
package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/cli"
	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/component"
	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/conformance"
	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/fault"
	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/migrate"
	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/scenario"
	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/snapshot"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/liblog"
)

// envPrefix is the prefix of the environment variables for flags.
const envPrefix = "COSI_EMU_"

// fromEnvironment annotates a flag that its environment variable has set.
const fromEnvironment = "cosi-emu.dev/environment"

// Run runs the program with the arguments that follow its name, and returns its
// exit code: 0 for success, 1 for a failure, 2 for wrong usage.
func Run(ctx context.Context, streams cli.Streams, args []string) int {
	// Users do not see the logs of client-go. Commands that are components log them: see logging.
	liblog.Divert(io.Discard)
	root := newRoot(streams) //nolint:contextcheck // commands get it from ExecuteContext
	root.SetArgs(args)
	return cli.Code(streams.Err, root.ExecuteContext(ctx))
}

// Root returns the root of all commands, for generators.
func Root() *cobra.Command { return newRoot(cli.Streams{}) }

func newRoot(streams cli.Streams) *cobra.Command {
	root := &cobra.Command{
		Use:   "cosi-emu",
		Short: "The Container Object Storage Interface (COSI) of Kubernetes on one machine",
		Long: `cosi-emu runs the whole Container Object Storage Interface (COSI) of Kubernetes
on one machine: a real kube-apiserver, the COSI controller and sidecar, a driver,
and an S3 store that enforces every grant.

Every flag has an environment variable: COSI_EMU_DATA_DIR for --data-dir. A flag on
the command line takes precedence.`,
		Example: `  # Start an emulator. Ctrl-C stops it.
  cosi-emu up

  # Start it in the background, claim a bucket, stop it.
  cosi-emu up -d
  eval "$(cosi-emu env)"
  cosi-emu example | kubectl apply -f -
  cosi-emu down

  # Run the scenarios that ship with the program.
  cosi-emu run --suite`,
		Version:                    cli.ReadVersions().Version,
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
		return cli.Usage(fmt.Errorf("%w%s\nSee '%s --help'", err, cli.FlagHint(cmd, err), cmd.CommandPath()))
	})
	for _, g := range groups(streams) {
		root.AddGroup(&cobra.Group{ID: g.id, Title: g.title})
		for _, cmd := range g.commands {
			cmd.GroupID = g.id
			cli.StrictArgs(cmd)
			root.AddCommand(cmd)
		}
	}
	cli.Complete(root)
	root.SetHelpCommandGroupID(toolsGroup)
	root.SetCompletionCommandGroupID(toolsGroup)
	return root
}

// toolsGroup is also the group of the commands that cobra adds.
const toolsGroup = "tools"

type group struct {
	id, title string
	commands  []*cobra.Command
}

func groups(streams cli.Streams) []group {
	return []group{
		{"emulator", "Emulator:", []*cobra.Command{
			newUp(streams), newDown(streams), newStatus(streams), newEnv(streams), newLogs(streams), newUI(streams), newExec(streams),
			newExplain(streams), newOrphans(streams),
			snapshot.New(streams),
		}},
		{"scenarios", "Scenarios and faults:", []*cobra.Command{
			scenario.NewInit(streams), scenario.NewRun(streams), scenario.NewLint(streams),
			scenario.NewSchema(streams), scenario.NewExplore(streams), scenario.NewReplay(streams), fault.New(streams),
		}},
		{"drivers", "Drivers:", []*cobra.Command{
			component.NewDriver(streams), component.NewStaticDriver(streams), component.NewBridge(streams), migrate.New(streams),
			conformance.New(streams, cli.ReadVersions().Version),
		}},
		{"components", "Components:", []*cobra.Command{
			component.NewController(streams), component.NewSidecar(streams), component.NewNode(streams),
		}},
		{toolsGroup, "Tools:", []*cobra.Command{newSetup(streams), newExample(streams), newConvert(streams), newVersion(streams)}},
	}
}

// isUnused reports whether a flag has no effect, because the command line selects an existing
// cluster. A variable that selects the control plane may be set for all commands of a user or of an
// image.
func isUnused(flags *pflag.FlagSet, name string) bool {
	existing := flags.Lookup("existing-cluster")
	return existing != nil && existing.Value.String() == "true" && (name == "control-plane" || name == "control-plane-dir")
}

// isOwnName reports whether a flag names an emulator that the command starts for itself. The variable of 'env' names
// another one, which runs already.
func isOwnName(flag *pflag.Flag) bool { return flag.Name == "name" && flag.DefValue == "" }

// variableOf returns the environment variable for a flag.
func variableOf(flag *pflag.Flag) string {
	return envPrefix + strings.ToUpper(strings.ReplaceAll(flag.Name, "-", "_"))
}

// flagsFromEnvironment sets the flags that are missing on the command line from their
// environment variables.
func flagsFromEnvironment(flags *pflag.FlagSet) error {
	var errs []error
	flags.VisitAll(func(flag *pflag.Flag) {
		name := variableOf(flag)
		value, ok := os.LookupEnv(name)
		if !ok || flag.Changed || flag.Name == "help" || isUnused(flags, flag.Name) || isOwnName(flag) {
			return
		}
		if err := flags.Set(flag.Name, value); err != nil {
			errs = append(errs, cli.Usage(fmt.Errorf("environment variable %s: %w", name, err)))
		}
		errs = append(errs, flags.SetAnnotation(flag.Name, fromEnvironment, nil))
	})
	return errors.Join(errs...)
}

// validateCluster rejects a command line that selects a cluster and an emulator. The variable of 'env' names an
// emulator for the other commands of a shell, and is ignored.
func validateCluster(flags *pflag.FlagSet) error {
	name := flags.Lookup("name")
	if _, isVariable := name.Annotations[fromEnvironment]; !name.Changed || isVariable {
		return nil
	}
	return cli.Usage(errors.New("--name and --kubeconfig or --context exclude each other: they select an emulator or a cluster"))
}
