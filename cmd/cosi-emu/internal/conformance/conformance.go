// Package conformance is the command conformance: it tests a driver, and lists the checks.
package conformance

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/google/shlex"
	"github.com/spf13/cobra"

	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/cli"
	"github.com/cosi-emu/cosi-emu/conformance"
)

// stepSummary is the variable with the file to which GitHub's runners want a summary appended.
const stepSummary = "GITHUB_STEP_SUMMARY"

const summaryMode = 0o644

// runFlags are the flags of a run.
type runFlags struct {
	config conformance.Config

	parameters, restart, junit, report, output string
}

// New returns the command.
func New(streams cli.Streams, version string) *cobra.Command {
	flags := &runFlags{config: conformance.Config{Version: version}}
	cmd := &cobra.Command{
		Use:   "conformance",
		Short: "Test whether a driver conforms to the COSI specification",
		Long: `Test whether a driver conforms to the COSI specification, over its gRPC socket and
with the credentials that it returns. No Kubernetes is required, except for the profile
End-to-End, which starts a control plane and is not tested by default. The driver speaks
v1alpha2 or v1alpha1.

Each check has a stable ID and a level. A driver conforms to a profile when every MUST
check that applies passed. Failed SHOULD checks are reported, and do not change that.
'cosi-emu conformance list' prints all checks. docs/conformance.md explains them, and the
file of --params.

The suite creates buckets and accesses with fresh names, and deletes them. The checks of
--allow-destructive send deletions with an empty ID: a faulty driver may delete all that
it can. Use them with a backend that has nothing to lose.

The exit code is 1 if a MUST check failed or was not reached.`,
		Example: `  cosi-emu conformance --endpoint unix:///tmp/my-driver.sock

  # Restart the driver in the middle, and write the reports of a CI job.
  cosi-emu conformance --endpoint unix:///tmp/my-driver.sock \
    --restart-cmd 'systemctl restart my-driver' --report results/

  # Run one check again, with the same names.
  cosi-emu conformance --endpoint unix:///tmp/my-driver.sock --only CB-04 --seed k3v9qd2m1x`,
		Args: cli.KnownCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return flags.run(cmd.Context(), streams) },
	}
	flags.add(cmd)
	cmd.AddCommand(newList(streams))
	return cmd
}

func (f *runFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.config.Endpoint, "endpoint", "", "endpoint of the driver, unix:///path/to/driver.sock (required)")
	flags.StringVar(&f.config.Generation, "api", "",
		"version of the protocol, v1alpha1 or v1alpha2 (default: the latest that the driver speaks)")
	flags.StringSliceVar(&f.config.Profiles, "profile", nil,
		"profile to test, of "+strings.Join(conformance.Profiles(), ", ")+"; can be repeated (default: all but End-to-End)")
	flags.StringSliceVar(&f.config.Only, "only", nil, "ID of a check to run; can be repeated (default: all)")
	flags.StringSliceVar(&f.config.Skip, "skip", nil, "ID of a check to skip; can be repeated")
	flags.StringVar(&f.parameters, "params", "", "YAML file with the parameters of classes, and what else the suite cannot find out")
	flags.StringVar(&f.restart, "restart-cmd", "",
		"command that restarts the driver, with the same state; the profile Crash-Safety requires it")
	flags.BoolVar(&f.config.AllowDestructive, "allow-destructive", false,
		"also run checks that a faulty driver may answer by deleting data of others")
	flags.DurationVar(&f.config.Timeout, "timeout", conformance.DefaultTimeout, "time limit of a check")
	flags.DurationVar(&f.config.CallTimeout, "call-timeout", conformance.DefaultCallTimeout, "time limit of a call")
	flags.DurationVar(&f.config.Settle, "settle", conformance.DefaultSettle, "how long credentials may take to work, and to stop working")
	flags.StringVar(&f.config.Seed, "seed", "", "text that decides the names of buckets and accesses (default: a random one)")
	flags.StringVar(&f.junit, "junit", "", "file to which to write the results as JUnit XML")
	flags.StringVar(&f.report, "report", "", "directory to which to write report.yaml, junit.xml and badge.json")
	cli.AddOutput(flags, &f.output, cli.FormatText, cli.FormatJSON)
}

// complete reads what the flags name.
func (f *runFlags) complete(streams cli.Streams) error {
	if err := cli.CheckOutput(f.output, cli.FormatText, cli.FormatJSON); err != nil {
		return err
	}
	if f.parameters != "" {
		text, err := os.ReadFile(f.parameters)
		if err != nil {
			return cli.Usage(err)
		}
		if f.config.Parameters, err = conformance.ParseParameters(text); err != nil {
			return cli.Usage(fmt.Errorf("%s: %w", f.parameters, err))
		}
	}
	if f.restart != "" {
		args, err := shlex.Split(f.restart)
		if err != nil || len(args) == 0 {
			return cli.Usage(fmt.Errorf("--restart-cmd %q is not a command line", f.restart))
		}
		f.config.Restart = func(ctx context.Context) error { return command(ctx, args) }
	}
	if f.output == cli.FormatText {
		f.config.OnResult = func(r conformance.Result) { progress(streams.Err, r) }
	}
	if err := f.config.Validate(); err != nil {
		return cli.Usage(err)
	}
	return nil
}

// outputWait is how long a command's children may keep its output open after its end.
const outputWait = time.Second

// command runs a command, and returns what it printed if it fails.
func command(ctx context.Context, args []string) error {
	var output bytes.Buffer
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &output, &output, outputWait
	err := cmd.Run()
	if errors.Is(err, exec.ErrWaitDelay) {
		return nil // it left a driver behind, as it should
	}
	if err != nil {
		return fmt.Errorf("%s: %w: %s", strings.Join(args, " "), err, bytes.TrimSpace(output.Bytes()))
	}
	return nil
}

// progress prints a failure. What was not reached is in the summary and the report.
func progress(w io.Writer, r conformance.Result) {
	if r.State == conformance.Fail {
		_, _ = fmt.Fprintf(w, "%s\n", r.Explain())
	}
}

func (f *runFlags) run(ctx context.Context, streams cli.Streams) error {
	if err := f.complete(streams); err != nil {
		return err
	}
	report, err := conformance.Execute(ctx, f.config)
	if err != nil {
		return err
	}
	if err := errors.Join(f.print(streams, report), f.save(report)); err != nil {
		return err
	}
	if !report.OK() {
		return cli.ExitError(cli.ExitFailure)
	}
	return nil
}

func (f *runFlags) print(streams cli.Streams, report *conformance.Report) error {
	if f.output == cli.FormatJSON {
		return cli.PrintJSON(streams, report)
	}
	return report.WriteText(streams.Out)
}

func (f *runFlags) save(report *conformance.Report) error {
	var errs []error
	if f.report != "" {
		errs = append(errs, report.Save(f.report))
	}
	if f.junit != "" {
		errs = append(errs, conformance.WriteFile(f.junit, report.WriteJUnit))
	}
	if path := os.Getenv(stepSummary); path != "" {
		errs = append(errs, appendSummary(path, report))
	}
	return errors.Join(errs...)
}

func appendSummary(path string, report *conformance.Report) error {
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, summaryMode) //nolint:gosec // the runner reads it
	if err != nil {
		return err
	}
	return errors.Join(report.WriteMarkdown(file), file.Close())
}

func newList(streams cli.Streams) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List all conformance checks",
		Example: `  cosi-emu conformance list
  cosi-emu conformance list -o json`,
		RunE: func(*cobra.Command, []string) error {
			if err := cli.CheckOutput(output, cli.FormatText, cli.FormatJSON); err != nil {
				return err
			}
			if output == cli.FormatJSON {
				return cli.PrintJSON(streams, conformance.Checks())
			}
			for _, c := range conformance.Checks() {
				if _, err := fmt.Fprintf(streams.Out, "%-6s %-6s %-16s %s\n", c.ID, c.Level, c.Profile, c.Title); err != nil {
					return err
				}
			}
			return nil
		},
	}
	cli.AddOutput(cmd.Flags(), &output, cli.FormatText, cli.FormatJSON)
	return cmd
}
