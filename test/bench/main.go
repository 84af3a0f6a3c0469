// Command bench measures speed and memory of cosi-emu, each relative to a baseline of the same
// run. Start it with `make bench`; docs/reports/benchmarks.md describes the suites and the figures.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/go-logr/logr"
	"github.com/spf13/pflag"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/liblog"
	"github.com/cosi-emu/cosi-emu/test/bench/figure"
	"github.com/cosi-emu/cosi-emu/test/bench/scale"
	"github.com/cosi-emu/cosi-emu/test/bench/storage"
	"github.com/cosi-emu/cosi-emu/test/bench/suite"
)

const usage = `Measure speed and memory, each relative to a baseline of the same run.

  bench [SUITE]... [flags]

The suites are:

  starts          time to start an emulator
  claims          time from a claim to its bucket
  memory          size of an idle emulator, and whether it is silent
  control-planes  the embedded control plane relative to kube-apiserver and etcd
  scale           cost of controller and sidecar under load
  sizes           cost of a claim with an access among more and more of them
  s3              speed and memory of the S3 store, relative to gofakes3; with --peers,
                  requests/s relative to versitygw and MinIO

The default is starts, claims and memory.

`

func main() {
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	silenceLibraries()
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	cancel()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// silenceLibraries discards the logs of libraries. The journal has the logs of the components.
func silenceLibraries() {
	ctrl.SetLogger(logr.Discard())
	liblog.Divert(io.Discard)
}

// command has the flags that are not options of a suite.
type command struct {
	options suite.Options
	kind    string
	check   bool
	json    bool
	timeout time.Duration
}

// run takes the selected measurements, and writes the report to out and the progress to progress.
func run(ctx context.Context, args []string, out, progress io.Writer) error {
	c := &command{}
	c.options.Progress = func(step string) { _, _ = fmt.Fprintln(progress, step) }
	if err := c.parse(args, progress); err != nil {
		if errors.Is(err, pflag.ErrHelp) {
			return nil
		}
		return err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, c.timeout, fmt.Errorf("not done after %s, the limit of --timeout", c.timeout))
	defer cancel()
	report, err := suite.Run(ctx, c.options)
	if err != nil {
		if cause := context.Cause(ctx); cause != nil && !errors.Is(err, cause) {
			return fmt.Errorf("%w; %w", err, cause)
		}
		return err
	}
	if err := c.print(out, report); err != nil {
		return err
	}
	if missed := report.Missed(); c.check && len(missed) > 0 {
		return fmt.Errorf("limit exceeded: %s", strings.Join(missed, ", "))
	}
	return nil
}

// parse sets the options. Flags may follow suites.
func (c *command) parse(args []string, help io.Writer) (err error) {
	flags := pflag.NewFlagSet("bench", pflag.ContinueOnError)
	flags.SetOutput(help)
	flags.Usage = func() { _, _ = fmt.Fprint(help, usage, flags.FlagUsages()) }
	c.addFlags(flags)
	if err := flags.Parse(args); err != nil {
		return err
	}
	o := &c.options
	if o.Suites = flags.Args(); len(o.Suites) == 0 {
		o.Suites = []string{suite.Starts, suite.Claims, suite.Memory}
	}
	if o.ControlPlane, err = emulator.ParseControlPlaneKind(c.kind); err != nil {
		return err
	}
	if o.Program == "" {
		self, err := os.Executable()
		if err != nil {
			return err
		}
		o.Program = filepath.Join(filepath.Dir(self), "cosi-emu")
	}
	// The program does not run in the current directory.
	o.Program, err = filepath.Abs(o.Program)
	return err
}

func (c *command) addFlags(flags *pflag.FlagSet) {
	o := &c.options
	flags.IntVar(&o.Starts, "starts", 5, "number of timed starts of each kind")
	flags.IntVar(&o.Claims, "claims", 30, "number of claims that are timed, one after another")
	flags.IntVar(&o.LoadedClaims, "load", 100, "number of claims with accesses when memory and silence are measured")
	flags.IntVar(&o.Lifecycles, "lifecycles", 40,
		"number of base lifecycles, and of runs of an exploration, that the suite control-planes measures in a round")
	flags.StringVar(&o.Scenario, "scenario", "",
		"pattern of the names of the scenarios that the suite control-planes runs (default: all that ship with the program)")
	flags.DurationVar(&o.Window, "window", 30*time.Second, "duration of the required silence")
	load := scale.DefaultLoad
	flags.IntVar(&o.Scale.Pairs, "pairs", load.Pairs,
		"number of claims with accesses, or accesses of one claim, that are created at once")
	flags.IntVar(&o.Scale.Many, "many", load.Many,
		"number of claims among which one more claim is timed; the baseline has a fiftieth of them")
	flags.IntVar(&o.Scale.Rounds, "rounds", load.Rounds, "number of rounds of the suite scale")
	flags.IntVar(&o.Scale.Most, "most", load.Most,
		"number of claims with accesses, of four objects each, up to which the suite sizes measures")
	objects := storage.DefaultLoad
	flags.IntVar(&o.S3.Objects, "objects", objects.Objects, "number of objects that are listed, and stored to measure memory")
	flags.IntVar(&o.S3.Requests, "requests", objects.Requests, "number of small objects that are written and read in a round")
	flags.IntVar(&o.S3.Rounds, "s3-rounds", objects.Rounds, "number of rounds of the suite s3")
	flags.BoolVar(&o.Peers, "peers", false, "compare the S3 store with other S3 servers, instead of gofakes3")
	flags.StringVar(&o.PeersDir, "peers-dir", "", "directory with the programs versitygw and minio (default: they are built)")
	flags.DurationVar(&o.PeerDuration, "peer-duration", 30*time.Second, "duration of the load on each server with --peers")
	flags.StringVar(&c.kind, "control-plane", string(emulator.ControlPlaneAuto), "control plane: envtest, embedded or auto")
	flags.StringVar(&o.Binaries.Dir, "control-plane-dir", "", "directory with etcd, kube-apiserver and kube-controller-manager")
	flags.StringVar(&o.Program, "program", "", "the program cosi-emu (default: beside this program)")
	flags.BoolVar(&c.check, "check", false, "fail if a figure exceeds its limit")
	flags.BoolVar(&c.json, "json", false, "print the report as JSON")
	flags.DurationVar(&c.timeout, "timeout", 40*time.Minute, "time limit for all suites")
}

func (c *command) print(out io.Writer, report figure.Report) error {
	if !c.json {
		return report.WriteText(out)
	}
	encoder := json.NewEncoder(out)
	encoder.SetIndent("", "  ")
	return encoder.Encode(report)
}
