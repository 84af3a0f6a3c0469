package startup

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/pflag"

	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/cli"
	"github.com/cosi-emu/cosi-emu/emulator"
)

// OwnComponents are the flags of a controller, a sidecar and a driver of the user's own.
type OwnComponents struct {
	controller, sidecar, driver string
	driverEnv                   []string
	assumeExisting              bool
	controllerRBAC, sidecarRBAC string
	driverRBAC, params          string
	preset                      string
	// inCluster means that the rights are those in an existing cluster.
	inCluster bool
}

// OwnComponentsHelp explains the flags, as a part of the help of a command.
const OwnComponentsHelp = `--controller-cmd and --sidecar-cmd run programs of your own in place of controller and
sidecar. Their connections to the API server and to the driver lead through the
emulator, which records them and injects faults; a crash is a kill -9. In the command
line, which no shell reads, $(KUBECONFIG) is a file, $(COSI_ENDPOINT) the endpoint of
the driver and $(PROBE_ADDRESS) where the program serves /readyz. --components gives
upstream's programs the arguments and the rights that they need. docs/components.md has
the details.

--driver-cmd runs your driver, of COSI v1alpha2 or v1alpha1, in place of the fake driver,
and restarts it when it exits. A bridge serves drivers of v1alpha1 and of earlier dialects
of v1alpha2; docs/bridge.md has the names for --dialect. The driver listens at
$(COSI_ENDPOINT), which is also in its environment, or at --driver if that path is compiled
in. --params is the file of 'cosi-emu conformance': all classes get the parameters bucket and
access. docs/driver.md has the details.`

// AddFlags adds the flags.
func (o *OwnComponents) AddFlags(flags *pflag.FlagSet) {
	flags.StringVar(&o.controller, "controller-cmd", "", "command line of your controller, instead of the emulator's")
	flags.StringVar(&o.sidecar, "sidecar-cmd", "", "command line of your sidecar, instead of the emulator's, one process for each driver")
	flags.StringVar(&o.driver, "driver-cmd", "",
		"command line of your driver, instead of the fake driver; it listens at $(COSI_ENDPOINT) or --driver")
	flags.StringArrayVar(&o.driverEnv, "driver-env", nil, "variable of --driver-cmd, as KEY=VALUE; can be repeated")
	flags.StringVar(&o.driverRBAC, "driver-rbac", "",
		"manifest with the ServiceAccount, roles and bindings of your driver (default: deploy/driver-rbac)")
	cli.AddParams(flags, &o.params, "YAML file with the parameters of the classes for your driver, as for 'cosi-emu conformance'")
	flags.BoolVar(&o.assumeExisting, "assume-existing", false,
		"use existing buckets of your driver without a check, if it is behind a bridge and cannot look them up")
	flags.StringVar(&o.controllerRBAC, "controller-rbac", "",
		"manifest with the ServiceAccount, roles and bindings of your controller (default: files of deploy/rbac)")
	flags.StringVar(&o.sidecarRBAC, "sidecar-rbac", "",
		"manifest with the ServiceAccount, roles and bindings of your sidecar (default: files of deploy/rbac)")
	flags.StringVar(&o.preset, "components", "", fmt.Sprintf(
		"upstream's components that --controller-cmd and --sidecar-cmd run, of %v: gives a program without arguments "+
			"those that it needs, and both the rights of deploy/upstream", presetNames()))
	cli.Values(flags, "components", presetNames()...)
}

// Apply reads the files, and adds the components to the options of an emulator.
func (o *OwnComponents) Apply(opts *emulator.Options) error {
	own := &opts.Implementations
	preset, err := o.presetOf(opts)
	errs := []error{o.applyDriver(opts), err}
	for _, component := range []struct {
		name, command, manifest string
		preset                  presetComponent
		intoCommand             *[]string
		intoRBAC                *[]byte
	}{
		{"controller", o.controller, o.controllerRBAC, preset.controller, &own.ControllerCommand, &own.ControllerRBAC},
		{"sidecar", o.sidecar, o.sidecarRBAC, preset.sidecar, &own.SidecarCommand, &own.SidecarRBAC},
	} {
		command, err := commandOf(component.name, component.command)
		errs = append(errs, err)
		if len(command) == 1 {
			command = append(command, component.preset.args...)
		}
		*component.intoCommand = command
		switch {
		case component.manifest == "":
			if command != nil {
				*component.intoRBAC = component.preset.rbac
			}
		case command == nil:
			errs = append(errs, fmt.Errorf("--%s-rbac requires --%s-cmd", component.name, component.name))
		default:
			if *component.intoRBAC, err = os.ReadFile(filepath.Clean(component.manifest)); err != nil {
				errs = append(errs, fmt.Errorf("--%s-rbac: %w", component.name, err))
			}
		}
	}
	if opts.NoDriver && o.sidecar != "" {
		errs = append(errs, errors.New("--sidecar-cmd and --no-fake-driver exclude each other: the sidecar would have no driver to serve"))
	}
	if err := errors.Join(errs...); err != nil {
		return cli.Usage(err)
	}
	return nil
}

func (o *OwnComponents) applyDriver(opts *emulator.Options) error {
	command, err := commandOf("driver", o.driver)
	switch {
	case err != nil:
		return err
	case command == nil && o.driverEnv != nil:
		return errors.New("--driver-env requires --driver-cmd")
	case command != nil && opts.NoDriver:
		return errors.New("--driver-cmd and --no-fake-driver exclude each other")
	}
	if err := cli.CheckVariables("--driver-env", o.driverEnv); err != nil {
		return err
	}
	opts.Implementations.DriverCommand, opts.Implementations.DriverEnv = command, o.driverEnv
	opts.AssumeExisting = o.assumeExisting
	return o.describeDriver(opts)
}

// describeDriver reads the files about the user's driver.
func (o *OwnComponents) describeDriver(opts *emulator.Options) error {
	own := opts.Driver != "" || opts.Implementations.DriverCommand != nil
	switch {
	case o.params != "" && !own:
		return errors.New("--params requires --driver-cmd or --driver: it has the parameters of the classes for your driver")
	case o.driverRBAC != "" && !own && !opts.NoDriver:
		return errors.New("--driver-rbac requires --driver-cmd or --driver: the fake driver reads no Kubernetes objects")
	}
	parameters, err := cli.ReadParams(o.params)
	if err != nil {
		return err
	}
	opts.BucketParameters, opts.AccessParameters = parameters.Bucket, parameters.Access
	if o.driverRBAC == "" {
		return nil
	}
	if opts.Implementations.DriverRBAC, err = os.ReadFile(filepath.Clean(o.driverRBAC)); err != nil {
		return fmt.Errorf("--driver-rbac: %w", err)
	}
	return nil
}

func commandOf(component, line string) ([]string, error) {
	return cli.CommandLine("--"+component+"-cmd", line)
}
