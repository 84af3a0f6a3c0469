// Package command is the command line of cosi-emu, a file for each command. It
// reads flags, calls the packages that do the work, and prints; it can be called
// as a function.
package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/cluster"
	"github.com/cosi-emu/cosi-emu/emulator/controlplane"
	"github.com/cosi-emu/cosi-emu/emulator/instance"
)

// Exit codes of the program.
const (
	exitOK      = 0
	exitFailure = 1
	exitUsage   = 2
)

// envPrefix begins the environment variables that stand for flags.
const envPrefix = "COSI_EMU_"

// Streams are what the program reads from and writes to: results to Out,
// progress and errors to Err.
type Streams struct {
	In  io.Reader
	Out io.Writer
	Err io.Writer
}

// exitError ends the program with a code and no message, because the message
// has been given by another program.
type exitError int

func (e exitError) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// usageError is an error of the command line itself.
type usageError struct{ err error }

func (e usageError) Error() string { return e.err.Error() }
func (e usageError) Unwrap() error { return e.err }

// Run runs the program with the arguments that follow its name, and returns its
// exit code: 0 for success, 1 for a failure, 2 for wrong usage.
func Run(ctx context.Context, streams Streams, args []string) int {
	root := newRoot(streams) //nolint:contextcheck // commands get it from ExecuteContext
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return exitOK
	}
	if exit, ok := errors.AsType[exitError](err); ok {
		return int(exit)
	}
	printError(streams.Err, err)
	if isUsage(err) {
		return exitUsage
	}
	return exitFailure
}

func isUsage(err error) bool {
	_, usage := errors.AsType[usageError](err)
	return usage || errors.Is(err, emulator.ErrOptions) || errors.Is(err, instance.ErrName) ||
		errors.Is(err, cluster.ErrKubeconfig)
}

func newRoot(streams Streams) *cobra.Command {
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
		Args:                       knownCommand,
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
		return usageError{fmt.Errorf("%w\nSee '%s --help'", err, cmd.CommandPath())}
	})
	root.AddCommand(
		newUp(streams), newDown(streams), newStatus(streams), newEnv(streams), newLogs(streams), newExec(streams), newExample(streams),
		newRun(streams), newLint(streams), newSchema(streams), newFault(streams), newReplay(streams), newExplore(streams),
		newSetup(streams), newBench(streams), newController(streams), newSidecar(streams), newDriver(streams), newVersion(streams),
	)
	for _, cmd := range root.Commands() {
		strictArgs(cmd)
	}
	return root
}

// knownCommand refuses what is left on the command line when no command of that
// name was found, and says which one may be meant.
func knownCommand(root *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	hint := ""
	if names := root.SuggestionsFor(args[0]); len(names) > 0 {
		hint = fmt.Sprintf("; do you mean %s?", strings.Join(names, " or "))
	}
	return usageError{fmt.Errorf("there is no command %q%s\nSee '%s --help'", args[0], hint, root.CommandPath())}
}

// strictArgs makes wrong arguments errors of usage.
func strictArgs(cmd *cobra.Command) {
	check := cmd.Args
	if check == nil {
		check = noArgs
	}
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if err := check(cmd, args); err != nil {
			return usageError{fmt.Errorf("%w\nSee '%s --help'", err, cmd.CommandPath())}
		}
		return nil
	}
}

func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("'%s' takes no arguments, but was given %q", cmd.CommandPath(), args[0])
	}
	return nil
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
			errs = append(errs, usageError{fmt.Errorf("environment variable %s: %w", name, err)})
		}
	})
	return errors.Join(errs...)
}

// printError prints an error, and the log lines that belong to it.
func printError(w io.Writer, err error) {
	_, _ = fmt.Fprintf(w, "Error: %v\n", err)
	log := logOf(err)
	if len(log) == 0 {
		return
	}
	_, _ = fmt.Fprintf(w, "The last lines of its log:\n")
	for _, line := range log {
		_, _ = fmt.Fprintf(w, "    %s\n", line)
	}
}

// logOf returns the last log lines of the component that an error is about.
func logOf(err error) []string {
	if start, ok := errors.AsType[*emulator.StartError](err); ok {
		return start.Log
	}
	if failure, ok := errors.AsType[*controlplane.ComponentError](err); ok {
		return failure.LogTail
	}
	return nil
}

// addName adds the flag that says which emulator is meant.
func addName(flags *pflag.FlagSet, name *string) {
	flags.StringVar(name, "name", instance.DefaultName, "name of the emulator; several can run side by side")
}

// addOutput adds the flag for the form of the result.
func addOutput(flags *pflag.FlagSet, output *string, formats ...string) {
	flags.StringVarP(output, "output", "o", formats[0], "form of the result: "+strings.Join(formats, " or "))
}

func checkOutput(output string, formats ...string) error {
	if slices.Contains(formats, output) {
		return nil
	}
	return usageError{fmt.Errorf("output format %q is not known; use %s", output, strings.Join(formats, " or "))}
}
