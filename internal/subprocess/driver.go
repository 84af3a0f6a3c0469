package subprocess

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/go-logr/logr"
	"google.golang.org/grpc"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/rest"

	"github.com/cosi-emu/cosi-emu/fakedriver"
)

// Variables of a driver, beside VariableKubeconfig and VariableEndpoint.
const (
	// VariableSocket is the path of VariableEndpoint, for drivers that take no URL. COSI reserves
	// the prefix COSI_ for the variables of its specification.
	VariableSocket = "DRIVER_SOCKET"
	// VariableStateDir is a directory for files of the driver, which outlive its process.
	VariableStateDir = "STATE_DIR"
	// VariablePodNamespace is the namespace of the ServiceAccount, as in a Pod.
	VariablePodNamespace = "POD_NAMESPACE"
)

// DriverOptions describe how to run a driver.
type DriverOptions struct {
	Args []string
	// Variables are further variables, and Env the user's, as KEY=VALUE, which replace all others.
	// Values in Env can refer to variables.
	Variables map[string]string
	Env       []string
	Dir       string
	// Config is for the API server, across the seam. Without it, the driver gets only a kubeconfig
	// in Variables.
	Config *rest.Config
	// Socket is the endpoint at which the driver listens, unix:///path. SocketFlag is the user's
	// flag for it, for errors; default: --driver.
	Socket, SocketFlag string
	// KeepSocket keeps the socket of an earlier process.
	KeepSocket bool
	// Endpoint serves the process across the seam, unix:///path. Without it, the process can be
	// reached only at Socket.
	Endpoint string
	// DialOptions connect to the driver, across the seam.
	DialOptions    []grpc.DialOption
	ConnectTimeout time.Duration
	// Identify asks the driver at an endpoint for its identity, until it answers or the context is
	// done. Its error ends the process.
	Identify func(ctx context.Context, endpoint string) error
	// Messages returns the messages of the driver's dialect, after Identify. The default is
	// v1alpha2, and v1alpha1 for the methods of that version.
	Messages MessagesFunc
	// Logger receives the driver's output, from which Redact removes secret values.
	Logger logr.Logger
	Redact func(string) string
}

// DriverProcess is one run of a driver.
type DriverProcess struct {
	*Process

	options DriverOptions
}

// NewDriver starts a driver. It removes the socket of an earlier process, unless KeepSocket is set.
// Other processes can reach the driver at Endpoint once WaitReady has returned.
func NewDriver(options DriverOptions) (_ *DriverProcess, err error) {
	if !options.KeepSocket {
		if err := freeSocket(options.Socket); err != nil {
			return nil, err
		}
	}
	r, err := newProcess(options.Dir)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, r.close())
		}
	}()
	r.tail.redact, r.grants = options.Redact, &grants{}
	variables := map[string]string{VariableEndpoint: options.Socket, VariableSocket: SocketPath(options.Socket)}
	maps.Copy(variables, options.Variables)
	if options.Config != nil {
		variables[VariableKubeconfig] = filepath.Join(r.dir, "kubeconfig")
		if r.proxy, err = newProxy(options.Config, variables[VariableKubeconfig]); err != nil {
			return nil, fmt.Errorf("connect a driver to the API server: %w", err)
		}
	}
	environment := slices.Concat(inheritedEnvironment(), pairs(variables), expand(options.Env, variables))
	if err := r.run(expand(options.Args, variables), environment, options.Logger); err != nil {
		return nil, err
	}
	return &DriverProcess{Process: r, options: options}, nil
}

// freeSocket removes a socket on which no process listens, and creates its directory. A listening
// process is an error.
func freeSocket(endpoint string) error {
	listener, err := fakedriver.Listen(endpoint)
	if err != nil {
		return err
	}
	return listener.Close()
}

// SocketPath returns the path of a UNIX socket, unix:///path.
func SocketPath(endpoint string) string {
	return strings.TrimPrefix(strings.TrimPrefix(endpoint, "unix:"), "//")
}

// WaitReady implements emulator.Runner: a driver is ready when it has identified itself. Only then
// it is served at the endpoint, if any.
func (d *DriverProcess) WaitReady(ctx context.Context) error {
	// The caller cancels ctx when a driver ends, so that it is not waited for.
	bounded, cancel := context.WithTimeoutCause(ctx, d.options.ConnectTimeout, errSilent)
	defer cancel()
	if err := d.identify(bounded); err != nil || d.options.Endpoint == "" {
		return err
	}
	conn, err := dial(Driver{Endpoint: d.options.Socket, DialOptions: d.options.DialOptions})
	if err != nil {
		return err
	}
	if err := awaitConnection(bounded, conn); err != nil {
		return errors.Join(err, conn.Close())
	}
	listener, err := fakedriver.Listen(d.options.Endpoint) //nolint:contextcheck // the probe of a stale socket is bounded by itself
	if err != nil {
		return errors.Join(err, conn.Close())
	}
	return d.serve(serveRelay(conn, listener, d.grants, d.options.Messages)) //nolint:contextcheck // it outlives the start
}

// errSilent is the cause when the wait for a driver times out.
var errSilent = errors.New("it did not answer in time")

func (d *DriverProcess) identify(ctx context.Context) error {
	if err := d.awaitSocket(ctx); err != nil {
		if errors.Is(context.Cause(ctx), errSilent) {
			return d.explain(fmt.Errorf("it does not listen at %s after %s", SocketPath(d.options.Socket), d.options.ConnectTimeout))
		}
		return err
	}
	err := d.options.Identify(ctx, d.options.Socket)
	if err != nil && errors.Is(context.Cause(ctx), errSilent) {
		return d.explain(fmt.Errorf("it listens at %s, but DriverGetInfo has no answer after %s: %w",
			SocketPath(d.options.Socket), d.options.ConnectTimeout, err))
	}
	return err
}

func (d *DriverProcess) awaitSocket(ctx context.Context) error {
	return wait.PollUntilContextCancel(ctx, pollInterval, true, func(ctx context.Context) (bool, error) {
		conn, err := (&net.Dialer{}).DialContext(ctx, "unix", SocketPath(d.options.Socket))
		if err != nil {
			return false, nil //nolint:nilerr // it does not listen yet
		}
		return true, conn.Close()
	})
}

// explain adds the driver's actual sockets and its last output to an error.
func (d *DriverProcess) explain(err error) error {
	others := slices.DeleteFunc(d.program.group.listening(), func(path string) bool { return path == SocketPath(d.options.Socket) })
	if len(others) > 0 {
		err = fmt.Errorf("%w; it listens at %s: name that with %s unix://%s, or have it listen at $COSI_ENDPOINT",
			err, strings.Join(others, " and "), cmp.Or(d.options.SocketFlag, "--driver"), others[0])
	}
	return fmt.Errorf("the driver runs, but %w%s", err, d.tail)
}
