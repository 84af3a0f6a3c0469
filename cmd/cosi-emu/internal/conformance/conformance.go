// Package conformance is the command conformance: it tests a driver, and lists the checks.
package conformance

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/cli"
	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/progress"
	"github.com/cosi-emu/cosi-emu/conformance"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
)

const help = `Test whether a driver conforms to the COSI specification, over its gRPC socket and
with the credentials that it returns. No Kubernetes is required, except for the profile
End-to-End, which starts a control plane and is not tested by default. --endpoint names
the socket of a driver that runs, --driver-cmd the command line of one that the suite
starts.

The driver speaks v1alpha1, or a dialect of v1alpha2, which the suite asks for by calls
without a name or ID. The driver is judged by the text of its own dialect, and the report
has the differences from the KEP. A driver of the dialect no-modes cannot be told from one
of one-mode: name it with --dialect. docs/bridge.md has the dialects.

Each check has a stable ID and a level. A driver conforms to a profile when every MUST
check that applies passed. Failed SHOULD checks are reported, and do not change that.
'cosi-emu conformance list' prints all checks. docs/conformance.md explains them, and the
file of --params.

With --driver-cmd the suite ends the driver with SIGTERM and with kill -9, between calls
and in the middle of them, for the profile Crash-Safety, and searches its output for
secrets. The driver listens at $(COSI_ENDPOINT), which is also in its environment, or at
--endpoint if that path is compiled in. $(STATE_DIR) is a directory for files that
outlive the process. No shell reads the command line. For a driver that you start,
--restart-cmd restarts it.

With --with-control-plane the suite starts a Kubernetes API server. The driver of
--driver-cmd gets $(KUBECONFIG) and $(POD_NAMESPACE), with the rights of
deploy/driver-rbac, as with 'cosi-emu up'. For in-cluster configuration, give a
directory with --kubernetes-dir, and make /var/run/secrets/kubernetes.io/serviceaccount
a link to driver/serviceaccount below it. --init has objects that the driver reads,
such as a Secret with the keys of its backend.

--backend-cmd is a program of yours that acts on the backend of the driver. It is run as
'CMD lose BUCKET', which deletes the bucket with an ID behind the driver's back, as 'CMD
fail', after which the backend fails, and as 'CMD heal', which ends that. It exits with
status 0 when it is done, and with 64 if it has no such action.

The suite creates buckets and accesses with fresh names, and deletes them. The checks of
--allow-destructive send deletions with an empty ID: a faulty driver may delete all that
it can. Use them with a backend that has nothing to lose.

Exit codes: 0 if no MUST check failed; 1 if a MUST check failed or was not reached; 2 if
the command line is wrong; 3 if the control plane did not start.`

const examples = `  # A driver that runs.
  cosi-emu conformance --endpoint unix:///tmp/my-driver.sock

  # A driver that the suite starts, restarts and kills, with the reports of a CI job.
  cosi-emu conformance --driver-cmd './my-driver --state=$(STATE_DIR)' \
    --driver-env BACKEND_URL=http://127.0.0.1:9000 --report results/

  # With a hand on its backend, for outages and lost buckets.
  cosi-emu conformance --driver-cmd ./my-driver --backend-cmd ./backend.sh

  # A driver that reads Kubernetes objects.
  cosi-emu conformance --driver-cmd './my-driver --kubeconfig=$(KUBECONFIG)' --with-control-plane \
    --init backend-secret.yaml

  # Restart a driver that runs in the middle.
  cosi-emu conformance --endpoint unix:///tmp/my-driver.sock \
    --restart-cmd 'systemctl restart my-driver'

  # The fake driver, with a hand on its store.
  cosi-emu conformance --backend-cmd 'examples/conformance-backend.sh ./outage' \
    --driver-cmd 'cosi-emu driver --endpoint=$(COSI_ENDPOINT) --data-dir=$(STATE_DIR)
      --outage-dir=./outage'

  # Run one check again, with the same names.
  cosi-emu conformance --endpoint unix:///tmp/my-driver.sock --only CB-04 --seed k3v9qd2m1x`

// New returns the command.
func New(streams cli.Streams, version string) *cobra.Command {
	flags := &runFlags{config: conformance.Config{Version: version}}
	cmd := &cobra.Command{
		Use:     "conformance --endpoint unix:///PATH | --driver-cmd COMMAND",
		Short:   "Test whether a driver conforms to the COSI specification",
		Long:    help,
		Example: examples,
		Args:    cli.KnownCommand,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := flags.complete(cmd.Flags()); err != nil {
				return cli.Usage(err)
			}
			return flags.run(cmd.Context(), streams)
		},
	}
	flags.add(cmd.Flags())
	cmd.AddCommand(newList(streams))
	return cmd
}

// run runs the suite, and writes the reports.
func (f *runFlags) run(ctx context.Context, streams cli.Streams) error {
	cli.SilenceLibraries()
	shown := progress.NewCount(streams.Err)
	f.config.OnProgress = newChecks(shown).show
	if f.output == cli.FormatText {
		f.config.OnDialect = func(d dialects.Dialect) { shown.Print("the driver speaks " + d.Protocol() + "\n") }
		failures := &failures{shown: shown, report: f.report}
		f.config.OnResult = failures.print
	}
	if f.config.ControlPlane != nil {
		f.config.ControlPlane.Reporter = reporter(streams.Err)
	}
	report, err := conformance.Execute(ctx, f.config)
	err = errors.Join(err, shown.Close())
	if _, isStart := errors.AsType[*emulator.StartError](err); isStart {
		cli.PrintError(streams.Err, err)
		return cli.ExitError(cli.ExitEnvironment)
	}
	if report == nil {
		return err
	}
	if err := errors.Join(err, f.print(streams, report), f.save(report)); err != nil {
		return err
	}
	if !report.OK() {
		return cli.ExitError(cli.ExitFailure)
	}
	return nil
}

// maxFailures is the number of failed checks that are printed.
const maxFailures = 3

// failures prints the first failed checks in a line each. Checks that were not reached are in the
// summary and the report. It is not safe for concurrent use.
type failures struct {
	shown *progress.Count
	// report is the directory of the report, which has the calls; empty if it is not written.
	report string
	count  int
}

func (f *failures) print(r conformance.Result) {
	if r.State != conformance.Fail {
		return
	}
	f.count++
	switch {
	case f.count > maxFailures+1:
		return
	case f.count > maxFailures:
		f.shown.Print("More checks fail, see the end.\n")
		return
	}
	f.shown.Print(r.Brief() + "\n")
	if f.report == "" && r.Failure != nil {
		f.shown.Print("  rerun: " + r.Failure.Rerun + "\n")
	}
}

// checks shows the number of completed checks.
type checks struct {
	shown *progress.Count
	begin time.Time
}

func newChecks(shown *progress.Count) *checks { return &checks{shown, time.Now()} }

func (c *checks) show(done, total int) {
	text := fmt.Sprintf("checks: %d/%d", done, total)
	if done > 0 && done < total {
		text += fmt.Sprintf(", about %s left", (time.Since(c.begin) / time.Duration(done) * time.Duration(total-done)).Round(time.Second))
	}
	c.shown.Show(text, done, total)
}

func (f *runFlags) print(streams cli.Streams, report *conformance.Report) error {
	if f.output == cli.FormatJSON {
		return cli.PrintJSON(streams, report)
	}
	if err := report.WriteText(streams.Out); err != nil || f.report == "" && len(report.FixFirst) == 0 {
		return err
	}
	where := "The calls of each check: add --report DIRECTORY"
	if f.report != "" {
		where = "The calls of each check: " + filepath.Join(f.report, conformance.FileHTML)
	}
	_, err := fmt.Fprintf(streams.Out, "\n%s\n", where)
	return err
}

func (f *runFlags) save(report *conformance.Report) error {
	var errs []error
	if f.report != "" {
		errs = append(errs, report.Save(f.report))
	}
	if f.junit != "" {
		errs = append(errs, conformance.WriteFile(f.junit, report.WriteJUnit))
	}
	return errors.Join(append(errs, cli.AppendStepSummary(report.WriteMarkdown))...)
}
