package conformance

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/cli"
	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/progress"
	"github.com/cosi-emu/cosi-emu/conformance"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/internal/manifest"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
)

type runFlags struct {
	config conformance.Config

	driver, restart, backend        string
	withControlPlane                bool
	kubernetesDir, init, driverRBAC string
	parameters                      string
	junit, report, output           string
}

func (f *runFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.config.Endpoint, "endpoint", "",
		"endpoint of the driver, unix:///path/to/driver.sock; with --driver-cmd, the path that is compiled into the driver")
	flags.StringVar(&f.config.Generation, "api", "",
		"version of the protocol, v1alpha1 or v1alpha2 (default: the latest that the driver speaks)")
	flags.StringVar((*string)(&f.config.Dialect), "dialect", "",
		"dialect of the protocol: "+dialects.Names()+" (default: the driver is asked)")
	f.addDriver(flags)
	flags.StringSliceVar(&f.config.Profiles, "profile", nil,
		"profile to test, of "+strings.Join(conformance.Profiles(), ", ")+"; can be repeated (default: all but End-to-End)")
	flags.StringSliceVar(&f.config.Only, "only", nil, "ID of a check to run; can be repeated (default: all)")
	flags.StringSliceVar(&f.config.Skip, "skip", nil, "ID of a check to skip; can be repeated")
	cli.AddParams(flags, &f.parameters, "YAML file with the parameters of classes, and what else the suite cannot find out")
	flags.BoolVar(&f.config.AllowDestructive, "allow-destructive", false,
		"also run checks that a faulty driver may answer by deleting data of others")
	flags.DurationVar(&f.config.Timeout, "timeout", conformance.DefaultTimeout,
		"time limit of a check; without --timeout and --call-timeout, a slow driver gets four times as long")
	flags.DurationVar(&f.config.CallTimeout, "call-timeout", conformance.DefaultCallTimeout, "time limit of a call")
	flags.DurationVar(&f.config.Settle, "settle", conformance.DefaultSettle, "how long credentials may take to work, and to stop working")
	flags.StringVar(&f.config.Seed, "seed", "", "text that decides the names of buckets and accesses (default: a random one)")
	flags.StringVar(&f.junit, "junit", "", "file to which to write the results as JUnit XML")
	flags.StringVar(&f.report, "report", "", "directory to which to write report.yaml, report.html, junit.xml and badge.json")
	cli.AddControlPlane(flags, &f.config.ControlPlaneKind, &f.config.ControlPlaneDir)
	cli.AddOutput(flags, &f.output, cli.FormatText, cli.FormatJSON)
}

// addDriver adds the flags of a driver that the suite starts, and of its backend.
func (f *runFlags) addDriver(flags *pflag.FlagSet) {
	flags.StringVar(&f.driver, "driver-cmd", "",
		"command line of the driver, which the suite starts, restarts and kills; it listens at $(COSI_ENDPOINT) or --endpoint")
	flags.StringArrayVar(&f.config.DriverEnv, "driver-env", nil, "variable of --driver-cmd, as KEY=VALUE; can be repeated")
	flags.DurationVar(&f.config.ConnectTimeout, "connect-timeout", conformance.DefaultConnectTimeout,
		"time limit for the first answer of --driver-cmd after each start")
	flags.StringVar(&f.restart, "restart-cmd", "",
		"command that restarts a driver that the suite has not started, with the same state")
	flags.BoolVar(&f.withControlPlane, "with-control-plane", false, "start a Kubernetes API server for --driver-cmd")
	flags.StringVar(&f.kubernetesDir, "kubernetes-dir", "",
		"existing directory for kubeconfig and ServiceAccount of --with-control-plane (default: a temporary one)")
	flags.StringVar(&f.init, "init", "",
		"file or directory with objects for --with-control-plane, such as a Secret that the driver reads")
	flags.StringVar(&f.driverRBAC, "driver-rbac", "",
		"manifest with the ServiceAccount, roles and bindings of the driver, for --with-control-plane (default: deploy/driver-rbac)")
	flags.StringVar(&f.backend, "backend-cmd", "",
		"command that acts on the backend of the driver, with the arguments 'lose BUCKET', 'fail' or 'heal'")
}

// complete reads the files of the flags. All errors are about the command line, before anything
// starts.
func (f *runFlags) complete(flags *pflag.FlagSet) error {
	f.config.Rerun, f.config.Program, f.config.DriverFlags = rerun(flags), cli.Program(), driverFlags(flags)
	err := errors.Join(
		cli.CheckOutput(f.output, cli.FormatText, cli.FormatJSON), f.completeDriver(), f.completeCommands(), f.completeParameters(),
		f.checkDurations(), f.checkFiles(), f.validate(),
	)
	if !flags.Changed("timeout") && !flags.Changed("call-timeout") {
		f.config.Timeout, f.config.CallTimeout = 0, 0 // the suite may lengthen its defaults
	}
	return err
}

func (f *runFlags) completeDriver() (err error) {
	if f.config.DriverCommand, err = cli.CommandLine("--driver-cmd", f.driver); err != nil {
		return err
	}
	if f.driver == "" {
		return f.checkNoDriver()
	}
	if f.restart != "" {
		return errors.New("--driver-cmd and --restart-cmd exclude each other: the suite restarts the driver that it has started")
	}
	if err := f.checkControlPlane(); err != nil {
		return err
	}
	if f.withControlPlane {
		f.config.ControlPlane = &conformance.ControlPlane{Dir: f.kubernetesDir, Manifests: f.init}
		if f.driverRBAC != "" {
			if f.config.ControlPlane.DriverRBAC, err = os.ReadFile(filepath.Clean(f.driverRBAC)); err != nil {
				return fmt.Errorf("--driver-rbac: %w", err)
			}
		}
	}
	return cli.CheckVariables("--driver-env", f.config.DriverEnv)
}

// checkControlPlane rejects flags of a control plane that is not started, and manifests that cannot
// be read.
func (f *runFlags) checkControlPlane() error {
	switch {
	case f.withControlPlane && f.init == "":
		return nil
	case f.withControlPlane:
		if _, err := manifest.ReadPath(f.init); err != nil {
			return fmt.Errorf("--init: %w", err)
		}
		return nil
	case f.kubernetesDir != "":
		return errors.New("--kubernetes-dir requires --with-control-plane")
	case f.init != "":
		return errors.New("--init requires --with-control-plane")
	case f.driverRBAC != "":
		return errors.New("--driver-rbac requires --with-control-plane")
	default:
		return nil
	}
}

// checkNoDriver rejects flags of a driver that the suite starts, without such a driver.
func (f *runFlags) checkNoDriver() error {
	switch {
	case f.config.Endpoint == "":
		return errors.New("--endpoint or --driver-cmd is required: the socket of a driver that runs, or the command line of one to start")
	case len(f.config.DriverEnv) > 0:
		return errors.New("--driver-env requires --driver-cmd")
	case f.withControlPlane:
		return errors.New("--with-control-plane requires --driver-cmd: only a driver that the suite starts gets what leads to the API server")
	default:
		return f.checkControlPlane()
	}
}

func (f *runFlags) completeCommands() error {
	restart, err := cli.CommandLine("--restart-cmd", f.restart)
	if restart != nil {
		f.config.Restart = conformance.RestartCommand(restart)
	}
	backend, backendErr := cli.CommandLine("--backend-cmd", f.backend)
	if backend != nil {
		f.config.Backend = conformance.BackendCommand(backend)
	}
	return errors.Join(err, backendErr)
}

func (f *runFlags) completeParameters() (err error) {
	f.config.Parameters, err = cli.ReadParams(f.parameters)
	return err
}

func (f *runFlags) checkDurations() error {
	var errs []error
	for _, flag := range []struct {
		name  string
		value time.Duration
	}{
		{"--timeout", f.config.Timeout}, {"--call-timeout", f.config.CallTimeout}, {"--settle", f.config.Settle},
		{"--connect-timeout", f.config.ConnectTimeout},
	} {
		if flag.value <= 0 {
			errs = append(errs, fmt.Errorf("%s %s must be positive", flag.name, flag.value))
		}
	}
	return errors.Join(errs...)
}

// checkFiles rejects reports that cannot be written, and a directory that does not exist.
func (f *runFlags) checkFiles() error {
	var errs []error
	if f.junit != "" {
		errs = append(errs, checkDir("--junit", filepath.Dir(f.junit)))
	}
	if f.kubernetesDir != "" {
		errs = append(errs, checkDir("--kubernetes-dir", f.kubernetesDir))
	}
	if f.report != "" {
		if info, err := os.Stat(f.report); err == nil && !info.IsDir() {
			errs = append(errs, fmt.Errorf("--report %s: it is a file, and must be a directory", f.report))
		}
	}
	return errors.Join(errs...)
}

func checkDir(flag, dir string) error {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return fmt.Errorf("%s: the directory %s does not exist", flag, dir)
	}
	return nil
}

// validate checks the remaining values: profiles, checks, the generation and the dialect.
func (f *runFlags) validate() error {
	config := f.config
	config.Restart, config.DriverEnv, config.ControlPlane = nil, nil, nil
	if config.Endpoint == "" {
		config.DriverCommand = []string{"checked before"}
	}
	return config.Validate()
}

// transient are the flags that the command to repeat one check leaves out.
var transient = []string{"only", "skip", "profile", "seed", "junit", "report", "output"}

// rerun returns the command line that repeats a run.
func rerun(flags *pflag.FlagSet) string {
	line := []string{cli.Program(), "conformance"}
	flags.Visit(func(flag *pflag.Flag) {
		if !slices.Contains(transient, flag.Name) {
			line = append(line, cli.Repeated(flag)...)
		}
	})
	return strings.Join(line, " ")
}

// shared are the flags that other commands have, too, with the same values.
var shared = []string{"driver-cmd", "driver-env", "driver-rbac", "params", "control-plane", "control-plane-dir"}

// driverFlags returns the flags with which other commands use the driver.
func driverFlags(flags *pflag.FlagSet) string {
	var words []string
	flags.Visit(func(flag *pflag.Flag) {
		switch {
		case flag.Name == "endpoint":
			words = append(words, cli.Quote("--driver="+flag.Value.String()))
		case slices.Contains(shared, flag.Name):
			words = append(words, cli.Repeated(flag)...)
		}
	})
	return strings.Join(words, " ")
}

// reporter shows the start of the control plane.
func reporter(w io.Writer) emulator.Reporter { return progress.New(w) }
