package conformance

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"google.golang.org/grpc"

	"github.com/cosi-emu/cosi-emu/conformance/description"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/conformance/checks"
	"github.com/cosi-emu/cosi-emu/internal/conformance/port"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
	"github.com/cosi-emu/cosi-emu/proto/redact"
)

// The defaults of a Config.
const (
	DefaultTimeout     = 30 * time.Second
	DefaultCallTimeout = 10 * time.Second
	DefaultSettle      = 5 * time.Second
	// DefaultConnectTimeout is how long a driver may take to start.
	DefaultConnectTimeout = 20 * time.Second
)

// Config selects the driver to test, and the checks.
type Config struct {
	// Endpoint is the gRPC target of the driver, such as unix:///path/to/driver.sock. It is
	// required without DriverCommand. With DriverCommand, it is the path that is compiled into
	// the driver.
	Endpoint string
	// DriverCommand is the command line of a driver that the suite starts, restarts, ends with
	// SIGTERM and kills with SIGKILL. It listens at $(COSI_ENDPOINT), which can be in the
	// arguments and is in the environment. There are also $(DRIVER_SOCKET), its path, and
	// $(STATE_DIR), a directory for files that outlive the process. The driver gets DriverEnv,
	// as KEY=VALUE, and a few variables of this process, such as PATH. The output is searched
	// for secrets.
	DriverCommand []string
	DriverEnv     []string
	// ConnectTimeout is how long the driver may take to start, until DriverGetInfo answers.
	ConnectTimeout time.Duration
	// ControlPlane starts a Kubernetes API server for the driver of DriverCommand.
	ControlPlane *ControlPlane
	// ControlPlaneKind selects the control plane that the suite starts, for ControlPlane and
	// for the profile End-to-End; empty means emulator.ControlPlaneAuto. ControlPlaneDir is a
	// directory with its programs; empty means the user's cache.
	ControlPlaneKind emulator.ControlPlaneKind
	ControlPlaneDir  string
	// DialOptions are added to the suite's own options for the connection.
	DialOptions []grpc.DialOption
	// Generation is v1alpha1 or v1alpha2. Default: v1alpha2 if the driver serves it, else
	// v1alpha1.
	Generation string
	// Dialect is the protocol of the driver. Default: the driver is asked, by calls without a name
	// or ID. A driver of dialects.NoModes cannot be told from one of dialects.OneMode.
	Dialect dialects.Dialect
	// Profiles are those to test. Default: all but End-to-End, which starts a control plane.
	Profiles []string
	// Only are the IDs of the checks to run, and Skip those not to run.
	Only, Skip []string
	// Parameters are driver-specific settings that the suite cannot detect.
	Parameters Parameters
	// Timeout limits each check, and CallTimeout each call. If both are 0, a driver that does not answer
	// within the defaults gets four times as long. Settle is how long the data
	// plane may take to follow a call.
	Timeout, CallTimeout, Settle time.Duration
	// Restart ends the driver and starts it again with the same state. It returns when the
	// new process serves. Without it, and without DriverCommand, the profile Crash-Safety is
	// not tested.
	Restart func(ctx context.Context) error
	// Backend is a hand on the backend of the driver, for the checks of what no call provokes.
	Backend Backend
	// AllowDestructive runs the checks that a faulty driver may answer with the loss of data
	// that is not the suite's.
	AllowDestructive bool
	// Seed decides the names of buckets and accesses. Default: a random one.
	Seed string
	// Version is the version of the tool, for the report.
	Version string
	// Rerun is the command line that repeats the run, without the check and the seed. Default:
	// cosi-emu conformance with the endpoint or the driver's command; Run uses go test.
	Rerun string
	// Program is the command that runs cosi-emu, and DriverFlags are its flags, for a shell, with which its other commands
	// use the driver. The report has such commands for scenarios that fail. Defaults: cosi-emu, and the endpoint or the driver's
	// command.
	Program, DriverFlags string
	// OnDialect is called with the protocol of the driver, before the first check.
	OnDialect func(dialects.Dialect)
	// OnProgress is called before the first check and after each, with the number of ended checks and
	// the total.
	OnProgress func(done, total int)
	// OnResult is called after each check.
	OnResult func(Result)
}

// ControlPlane is a Kubernetes API server for a driver that reads Kubernetes objects. The
// driver gets $(KUBECONFIG) and $(POD_NAMESPACE), with the rights of DriverRBAC. If
// /var/run/secrets/kubernetes.io/serviceaccount is a link to driver/serviceaccount below Dir,
// it also gets the variables of in-cluster configuration.
type ControlPlane struct {
	// Dir is an existing directory for the files. Default: a temporary one.
	Dir string
	// Manifests is a file or a directory with objects that exist before the driver starts, such as
	// the Secret that it reads.
	Manifests string
	// DriverRBAC is a manifest with the driver's ServiceAccount, and the roles and bindings for it. Objects
	// of other kinds are ignored. Default: deploy/driver-rbac.
	DriverRBAC []byte
	// Reporter receives the progress of the start. It may be nil.
	Reporter emulator.Reporter
}

// Types of package description, which describes them.
type (
	// Backend injects failures into the backend of a driver.
	Backend = description.Backend
	// Parameters are the settings that the author of a driver supplies.
	Parameters = description.Parameters
	// Implementation describes a driver to the readers of its report.
	Implementation = description.Implementation
	// Exchange is one gRPC call, without secrets.
	Exchange = description.Exchange
)

// ErrUnsupported means that a Backend has no such action.
var ErrUnsupported = description.ErrUnsupported

// redacted replaces secrets: values whose names mark them as secret, and secrets that the driver
// has returned.
func redacted(p Parameters, history *checks.History) Parameters {
	for _, values := range []*map[string]string{&p.Bucket, &p.Incompatible, &p.Access, &p.IncompatibleAccess} {
		*values = maps.Clone(*values)
		for name, value := range *values {
			(*values)[name] = history.Redact(value)
			if isSecretName(name) {
				(*values)[name] = redact.Placeholder
			}
		}
	}
	return p
}

// ParseParameters reads Parameters from YAML. Unknown fields are rejected.
func ParseParameters(text []byte) (Parameters, error) {
	return description.ParseParameters(text)
}

func (c Config) withDefaults() Config {
	c.Timeout = cmp.Or(c.Timeout, DefaultTimeout)
	c.CallTimeout = cmp.Or(c.CallTimeout, DefaultCallTimeout)
	c.Settle = cmp.Or(c.Settle, DefaultSettle)
	c.ConnectTimeout = cmp.Or(c.ConnectTimeout, DefaultConnectTimeout)
	c.Program = cmp.Or(c.Program, "cosi-emu")
	c.Rerun = cmp.Or(c.Rerun, c.Program+" conformance "+c.driverFlags("--endpoint"))
	c.DriverFlags = cmp.Or(c.DriverFlags, c.driverFlags("--driver"))
	if c.Dialect != "" {
		c.Generation = c.Dialect.Version()
	}
	if c.Seed == "" {
		c.Seed = strings.ToLower(rand.Text()[:10])
	}
	return c
}

// driverFlags returns the flags for a command and an endpoint.
func (c Config) driverFlags(endpoint string) string {
	var flags []string
	if c.DriverCommand != nil {
		flags = append(flags, "--driver-cmd '"+strings.ReplaceAll(strings.Join(c.DriverCommand, " "), "'", `'\''`)+"'")
	}
	if c.Endpoint != "" {
		flags = append(flags, endpoint+" "+c.Endpoint)
	}
	return strings.Join(flags, " ")
}

// Validate returns an error if a configuration cannot be run.
func (c Config) Validate() error {
	errs := []error{c.validateDriver(), c.validateProtocol()}
	for _, profile := range c.Profiles {
		if !slices.Contains(checks.Profiles(), profile) {
			errs = append(errs, fmt.Errorf("profile %q is not known; use one of %s", profile, strings.Join(checks.Profiles(), ", ")))
		}
	}
	if !slices.Contains([]string{"", checks.Reject, checks.Purge}, c.Parameters.NonEmptyDeletion) {
		errs = append(errs, fmt.Errorf("parameters: nonEmptyDeletion %q is not known; use %s or %s",
			c.Parameters.NonEmptyDeletion, checks.Reject, checks.Purge))
	}
	for _, id := range slices.Concat(c.Only, c.Skip) {
		if !slices.ContainsFunc(checks.All(), func(check *checks.Check) bool { return check.ID == id }) {
			errs = append(errs, fmt.Errorf("check %q is not known; `cosi-emu conformance list` prints all", id))
		}
	}
	return errors.Join(errs...)
}

// validateProtocol returns an error if the generation or the dialect is not known, or they contradict
// each other.
func (c Config) validateProtocol() error {
	if !slices.Contains([]string{"", port.V1alpha1, port.V1alpha2}, c.Generation) {
		return fmt.Errorf("generation %q is not known; use %s or %s", c.Generation, port.V1alpha1, port.V1alpha2)
	}
	if c.Dialect == "" {
		return nil
	}
	if _, err := dialects.Parse(string(c.Dialect)); err != nil {
		return fmt.Errorf("dialect %w", err)
	}
	if c.Generation != "" && c.Generation != c.Dialect.Version() {
		return fmt.Errorf("dialect %s is of %s, and not of %s; leave one of the two out", c.Dialect, c.Dialect.Version(), c.Generation)
	}
	return nil
}

// validateDriver returns an error if there is no driver to test, or more than one.
func (c Config) validateDriver() error {
	if c.DriverCommand != nil {
		return c.validateCommand()
	}
	var errs []error
	if c.Endpoint == "" {
		errs = append(errs, errors.New("the endpoint, or the command of the driver, is required: "+
			"a gRPC target such as unix:///path/to/driver.sock, or a command line"))
	}
	if len(c.DriverEnv) > 0 || c.ControlPlane != nil {
		errs = append(errs, errors.New("variables of the driver, and a control plane for it, require the command of the driver"))
	}
	return errors.Join(errs...)
}

// validateCommand returns an error if the command of the driver cannot be run.
func (c Config) validateCommand() error {
	var errs []error
	if len(c.DriverCommand) == 0 || strings.TrimSpace(c.DriverCommand[0]) == "" {
		errs = append(errs, errors.New("the command of the driver names no program"))
	}
	if c.Endpoint != "" {
		errs = append(errs, fakedriver.ValidateEndpoint(c.Endpoint))
	}
	if c.Restart != nil {
		errs = append(errs, errors.New("a command of the driver, and one that restarts it, exclude each other: "+
			"the suite restarts the driver that it has started"))
	}
	for _, variable := range c.DriverEnv {
		// The value may be a secret.
		if name, _, found := strings.Cut(variable, "="); !found || name == "" {
			errs = append(errs, fmt.Errorf("the variable %q of the driver must have the form KEY=VALUE", name))
		}
	}
	return errors.Join(errs...)
}

// selects returns whether a check is part of a run.
func (c Config) selects(check *checks.Check) bool {
	if len(c.Only) > 0 {
		return slices.Contains(c.Only, check.ID) && (len(c.Profiles) == 0 || c.tests(check.Profile))
	}
	return c.tests(check.Profile)
}

// tests returns whether a profile is part of a run.
func (c Config) tests(profile string) bool {
	if len(c.Profiles) == 0 {
		return profile != checks.EndToEnd
	}
	return slices.Contains(c.Profiles, profile)
}
