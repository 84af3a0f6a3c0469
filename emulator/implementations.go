package emulator

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/go-logr/logr"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"
	"k8s.io/client-go/rest"

	cosicontroller "github.com/cosi-emu/cosi-emu/controller"
	"github.com/cosi-emu/cosi-emu/deploy"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/component"
	"github.com/cosi-emu/cosi-emu/internal/rights"
	"github.com/cosi-emu/cosi-emu/internal/seam"
	"github.com/cosi-emu/cosi-emu/internal/service"
	"github.com/cosi-emu/cosi-emu/internal/subprocess"
	cosisidecar "github.com/cosi-emu/cosi-emu/sidecar"
)

// Implementations are your own components, as functions or programs, which replace the emulator's.
// They run at the same seams: the journal records their operations, faults apply to them, and a
// crash fences them. A nil field selects the emulator's own component. Each incarnation calls its
// function, or runs its program, once.
type Implementations struct {
	// Controller creates a controller with the rights of its ServiceAccount in
	// deploy/rbac.
	Controller func(*rest.Config, logr.Logger) (Runner, error)
	// Sidecar creates a sidecar with the rights of its ServiceAccount in deploy/rbac. The context
	// ends when the sidecar is ready.
	Sidecar func(context.Context, *rest.Config, SidecarConnection, logr.Logger) (Runner, error)
	// ControllerCommand and SidecarCommand are command lines of programs, in place of
	// Controller and Sidecar. $(KUBECONFIG) in an argument is a file that leads to the
	// API server across the api seam, $(COSI_ENDPOINT) the endpoint of the driver across
	// the rpc seam, and $(PROBE_ADDRESS) a TCP address at which the program serves
	// /readyz. $(POD_NAMESPACE) is the namespace of its ServiceAccount. $(RPC_TIMEOUT),
	// $(RETRY_BASE_DELAY) and $(RETRY_MAX_DELAY) are durations that the emulator's own
	// components would have. The environment has the same variables. A program whose
	// command line does not use $(PROBE_ADDRESS) counts as ready when it runs. Stop sends
	// SIGTERM, and a crash is a kill -9. A program that exits is restarted with back-off;
	// one that exits before its first request ends the emulator.
	//
	//	[]string{"my-sidecar", "--kubeconfig=$(KUBECONFIG)", "--driver=$(COSI_ENDPOINT)"}
	ControllerCommand, SidecarCommand []string
	// ControllerRBAC and SidecarRBAC are manifests with the rights of your own controller and
	// sidecar, which replace deploy/rbac: one ServiceAccount, and the roles and bindings for it.
	// Objects of other kinds are ignored, so the manifest of an installation is accepted. They
	// require a control plane of the emulator's own.
	ControllerRBAC, SidecarRBAC []byte
	// Driver creates a driver from the options of the fake driver.
	Driver func(fakedriver.Options) (Server, error)
	// DriverCommand is the command line of a driver of any generation of COSI, which
	// replaces the fake driver and its S3 store. The driver listens at $(COSI_ENDPOINT), or
	// at Options.Driver if that is set. It is ready when DriverGetInfo answers. It is
	// restarted when it exits. Beside $(COSI_ENDPOINT) there are $(DRIVER_SOCKET), its path,
	// $(KUBECONFIG), a file with the rights of DriverRBAC, $(POD_NAMESPACE), and
	// $(STATE_DIR), a directory for files that outlive the process. The environment has
	// these variables, DriverEnv, and otherwise only PATH, HOME, USER, LOGNAME, SHELL,
	// TMPDIR, TZ, LANG and LC_*.
	//
	//	[]string{"my-driver", "--endpoint=$(COSI_ENDPOINT)"}
	DriverCommand []string
	// DriverEnv are more variables of DriverCommand, as KEY=VALUE. A value can refer to the
	// others.
	DriverEnv []string
	// DriverRBAC is a manifest with the rights of a driver of your own, as ControllerRBAC; nil for
	// deploy/driver-rbac.
	DriverRBAC []byte
}

// SidecarConnection is the connection of a sidecar to its driver.
type SidecarConnection struct {
	// Endpoint is a gRPC target.
	Endpoint string
	// DialOptions are required options of grpc.NewClient: they connect to the driver across the
	// seam. They include no credentials.
	DialOptions []grpc.DialOption
}

// Server is a driver. Serve serves on a listener until the context is done, and closes
// the listener.
type Server interface {
	Serve(ctx context.Context, l net.Listener) error
}

func (i Implementations) validate() error {
	for name, c := range map[string]struct {
		function bool
		command  []string
	}{
		"Controller": {i.Controller != nil, i.ControllerCommand}, "Sidecar": {i.Sidecar != nil, i.SidecarCommand},
		"Driver": {i.Driver != nil, i.DriverCommand},
	} {
		switch {
		case c.function && c.command != nil:
			return fmt.Errorf("%w: Implementations.%s and Implementations.%sCommand exclude each other", ErrOptions, name, name)
		case c.command != nil && strings.Join(c.command, "") == "":
			return fmt.Errorf("%w: Implementations.%sCommand names no program", ErrOptions, name)
		}
	}
	if err := i.validateDriverEnv(); err != nil {
		return err
	}
	return i.validateRBAC()
}

func (i Implementations) validateDriverEnv() error {
	if i.DriverEnv != nil && i.DriverCommand == nil {
		return fmt.Errorf("%w: Implementations.DriverEnv requires DriverCommand", ErrOptions)
	}
	for _, variable := range i.DriverEnv {
		if name, _, found := strings.Cut(variable, "="); !found || name == "" {
			return fmt.Errorf("%w: the variable %q of the driver must have the form KEY=VALUE", ErrOptions, name)
		}
	}
	return nil
}

func (i Implementations) hasRBAC() bool {
	return i.ControllerRBAC != nil || i.SidecarRBAC != nil || i.DriverRBAC != nil
}

// validateRBAC rejects manifests without valid RBAC rules.
func (i Implementations) validateRBAC() error {
	for name, manifest := range map[string][]byte{
		"ControllerRBAC": i.ControllerRBAC, "SidecarRBAC": i.SidecarRBAC, "DriverRBAC": i.DriverRBAC,
	} {
		if _, err := rights.Of(manifest); manifest != nil && err != nil {
			return fmt.Errorf("%w: Implementations.%s: %w", ErrOptions, name, err)
		}
	}
	return nil
}

func (e *Emulator) newController(cfg *rest.Config, i *seam.Incarnation) (Runner, error) {
	cfg = i.RESTConfig(cfg)
	switch own := e.opts.Implementations; {
	case own.ControllerCommand != nil:
		account, err := componentAccount(own.ControllerRBAC, deploy.ControllerServiceAccount)
		if err != nil {
			return nil, err
		}
		command := subprocess.Command{Args: own.ControllerCommand, Namespace: account.Namespace, Durations: map[string]time.Duration{
			subprocess.VariableBaseDelay: cmp.Or(e.opts.RetryBaseDelay, cosicontroller.DefaultRetryBaseDelay),
			subprocess.VariableMaxDelay:  cmp.Or(e.opts.RetryMaxDelay, cosicontroller.DefaultRetryMaxDelay),
		}}
		return subprocess.New(command, cfg, nil, e.logger(i))
	case own.Controller != nil:
		return own.Controller(cfg, e.logger(i))
	}
	return e.generation().NewController(cfg, e.opts.withControllerLeaderElection(cosicontroller.Options{
		RetryBaseDelay: e.opts.RetryBaseDelay,
		RetryMaxDelay:  e.opts.RetryMaxDelay,
		Strict:         e.opts.Strict,
		TracerProvider: e.opts.TracerProvider,
		Logger:         e.logger(i),
	}))
}

func (e *Emulator) newSidecar(ctx context.Context, cfg *rest.Config, opts cosisidecar.Options, i *seam.Incarnation) (Runner, error) {
	opts.DialOptions = slices.Concat(opts.DialOptions, i.DialOptions())
	if opts.Logger.GetSink() == nil {
		opts.Logger = e.logger(i)
	}
	opts.Now = i.Now
	cfg = i.RESTConfig(cfg)
	switch own := e.opts.Implementations; {
	case own.SidecarCommand != nil:
		account, err := componentAccount(own.SidecarRBAC, deploy.SidecarServiceAccount)
		if err != nil {
			return nil, err
		}
		driver := &subprocess.Driver{
			Endpoint: opts.Endpoint, DialOptions: opts.DialOptions,
			Messages: func(method string) (request, response proto.Message) {
				return e.dialectAt(opts.Endpoint).Messages(method)
			},
		}
		command := subprocess.Command{Args: own.SidecarCommand, Namespace: account.Namespace, Durations: map[string]time.Duration{
			subprocess.VariableRPCTimeout: cmp.Or(opts.RPCTimeout, cosisidecar.DefaultRPCTimeout),
			subprocess.VariableBaseDelay:  cmp.Or(opts.RetryBaseDelay, cosisidecar.DefaultRetryBaseDelay),
			subprocess.VariableMaxDelay:   cmp.Or(opts.RetryMaxDelay, cosisidecar.DefaultRetryMaxDelay),
		}}
		return subprocess.New(command, cfg, driver, opts.Logger) //nolint:contextcheck // the process outlives the start
	case own.Sidecar != nil:
		return own.Sidecar(ctx, cfg, SidecarConnection{Endpoint: opts.Endpoint, DialOptions: opts.DialOptions}, opts.Logger)
	}
	if opts.TracerProvider == nil {
		opts.TracerProvider = e.opts.TracerProvider
	}
	return e.generation().NewSidecar(ctx, cfg, opts)
}

// newDriver creates a driver for one incarnation. It calls listen after the creation of the driver.
func (e *Emulator) newDriver(opts fakedriver.Options, i *seam.Incarnation, listen func() (net.Listener, error)) (Runner, error) {
	for _, s := range service.All() {
		s.Lead(&opts, *s.Endpoint(&e.info))
	}
	opts.Backend, opts.VirtualEndpoint, opts.Dialect = i.Backend(e.keys.Record(e.store)), e.s3VirtualEndpoint, e.fakeDialect()
	opts.IDs, opts.Region = e.opts.DriverIDs, e.info.S3Region
	opts.ServiceAccounts, opts.ServerOptions, opts.Logger = true, i.ServerOptions(), e.logger(i)
	opts.TracerProvider = e.opts.TracerProvider
	opts.IgnoreUnknownParameters = e.opts.IgnoreUnknownParameters || len(e.opts.DriverNames) > 0
	opts.AcceptUnknownAuthentication = !e.opts.Strict
	var d Server
	var err error
	if own := e.opts.Implementations.Driver; own != nil {
		d, err = own(opts)
	} else {
		d, err = fakedriver.New(opts)
	}
	if err != nil {
		return nil, err
	}
	l, err := listen()
	if err != nil {
		return nil, err
	}
	return component.Server(func(ctx context.Context) error { return d.Serve(ctx, l) }), nil
}
