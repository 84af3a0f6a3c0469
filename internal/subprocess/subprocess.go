package subprocess

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/go-logr/logr"
	"google.golang.org/grpc"
	"k8s.io/client-go/rest"

	"github.com/cosi-emu/cosi-emu/internal/tcpport"
)

// The variables that a command can use, as $(NAME) in an argument, and the process from its
// environment.
const (
	// VariableKubeconfig is a kubeconfig for the API server.
	VariableKubeconfig = "KUBECONFIG"
	// VariableEndpoint is the gRPC target of the driver; empty for a controller.
	VariableEndpoint = "COSI_ENDPOINT"
	// VariableProbe is the TCP address at which the process serves /readyz. A process whose command
	// does not use it counts as ready when it runs.
	VariableProbe = "PROBE_ADDRESS"
	// VariableRPCTimeout is the time limit for calls by the emulator's own sidecar.
	VariableRPCTimeout = "RPC_TIMEOUT"
	// VariableBaseDelay is the first delay between retries of the emulator's own components;
	// exploration shortens it.
	VariableBaseDelay = "RETRY_BASE_DELAY"
	// VariableMaxDelay is the longest delay between retries.
	VariableMaxDelay = "RETRY_MAX_DELAY"
)

// Command is the program to run.
type Command struct {
	// Args are the program and its arguments.
	Args []string
	// Namespace is the namespace of the ServiceAccount, in which the process keeps its Leases.
	Namespace string
	Durations map[string]time.Duration
}

// Driver is the connection of a sidecar to its driver.
type Driver struct {
	Endpoint string
	// DialOptions connect to the driver, across the seam, without credentials.
	DialOptions []grpc.DialOption
	// Messages returns the messages of the driver's dialect. The default is v1alpha2, and v1alpha1
	// for the methods of that version.
	Messages MessagesFunc
}

// Process is one run of a command, with its connections.
type Process struct {
	program *Program  // nil until it runs
	output  [2]*lines // standard output and error
	tail    *tail
	grants  *grants // nil for a controller and a sidecar
	probe   string  // empty: it is ready when it runs
	ports   tcpport.Reservations
	dir     string
	proxy   *proxy
	killed  chan struct{}
	end     context.CancelFunc

	mu     sync.Mutex
	closed bool
	relay  *relay // nil for a controller
}

// grace is the time for a process to end after a signal.
const grace = 10 * time.Second

// New starts a command as a controller, or as the sidecar of a driver. The process uses
// the configuration's rights.
func New(command Command, cfg *rest.Config, driver *Driver, logger logr.Logger) (_ *Process, err error) {
	r, err := newProcess("")
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, r.close())
		}
	}()
	variables := map[string]string{
		VariableKubeconfig: filepath.Join(r.dir, "kubeconfig"), VariablePodNamespace: command.Namespace,
	}
	for name, duration := range command.Durations {
		variables[name] = duration.String()
	}
	if r.proxy, err = newProxy(cfg, variables[VariableKubeconfig]); err != nil {
		return nil, fmt.Errorf("connect a process to the API server: %w", err)
	}
	if driver != nil {
		socket := filepath.Join(r.dir, "driver.sock")
		variables[VariableEndpoint] = "unix://" + socket
		if r.relay, err = newRelay(socket, *driver); err != nil {
			return nil, fmt.Errorf("connect a process to the driver: %w", err)
		}
	}
	port, err := r.ports.Reserve(context.Background(), tcpport.Loopback)
	if err != nil {
		return nil, err
	}
	variables[VariableProbe] = net.JoinHostPort(tcpport.Loopback, strconv.Itoa(port))
	if strings.Contains(strings.Join(command.Args, " "), reference(VariableProbe)) {
		r.probe = variables[VariableProbe]
	}
	err = r.run(expand(command.Args, variables), append(inheritedEnvironment(), pairs(variables)...), logger)
	return r, err
}

// newProcess returns a process that does not run, with a directory of its own below another one, by
// default the directory for temporary files.
func newProcess(parent string) (*Process, error) {
	dir, err := os.MkdirTemp(parent, "cosi-emu-process-")
	if err != nil {
		return nil, fmt.Errorf("make a directory for a process: %w", err)
	}
	return &Process{killed: make(chan struct{}), tail: &tail{}, dir: dir}, nil
}

func pairs(variables map[string]string) []string {
	var all []string
	for name, value := range variables {
		all = append(all, name+"="+value)
	}
	slices.Sort(all)
	return all
}

func reference(variable string) string { return "$(" + variable + ")" }

func expand(command []string, variables map[string]string) []string {
	var pairs []string
	for name, value := range variables {
		pairs = append(pairs, reference(name), value)
	}
	replacer := strings.NewReplacer(pairs...)
	expanded := make([]string, len(command))
	for i, argument := range command {
		expanded[i] = replacer.Replace(argument)
	}
	return expanded
}

func (p *Process) run(command, environment []string, logger logr.Logger) error {
	if runtime.GOOS == "windows" { // no shell for the guard
		return fmt.Errorf("%s is not run as a component on Windows, where its processes could outlive this one: "+
			"run this program under WSL", command[0])
	}
	ctx, cancel := context.WithCancel(context.Background())
	p.end = cancel
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Env, cmd.WaitDelay = environment, grace
	for i := range p.output {
		p.output[i] = &lines{logger: logger, tail: p.tail, grants: p.grants}
	}
	cmd.Stdout, cmd.Stderr = p.output[0], p.output[1]
	program, err := StartProgram(cmd, MarkOf(p.dir))
	if err != nil {
		cancel()
		return fmt.Errorf("start %s: %w", command[0], err)
	}
	p.program = program
	return nil
}

// ignoreExit returns nil for the error of a process that was ended.
func ignoreExit(err error) error {
	if _, ok := errors.AsType[*exec.ExitError](err); ok {
		return nil
	}
	return err
}

// Start implements emulator.Runner: it waits for the end of the process.
func (p *Process) Start(ctx context.Context) error {
	defer context.AfterFunc(ctx, p.end)()
	err, ended := p.program.Wait()
	p.end()
	for _, output := range p.output {
		output.flush()
	}
	p.grants.flush()
	switch {
	case ctx.Err() != nil || isClosed(p.killed):
		err = nil // Stop or Crash ended it
	case err != nil:
		err = fmt.Errorf("%s has ended: %w%s%s", p.program.cmd.Path, err, p.tail.cause(), p.tail)
	default:
		err = fmt.Errorf("%s has ended: exit status 0%s", p.program.cmd.Path, p.tail)
	}
	return errors.Join(err, ended, p.close())
}

// State returns the exit state of the process, after Start has returned.
func (p *Process) State() *os.ProcessState { return p.program.State() }

// serve keeps the relay until the process ends, possibly already.
func (p *Process) serve(through *relay) error {
	p.mu.Lock()
	closed := p.closed
	if !closed {
		p.relay = through
	}
	p.mu.Unlock()
	if closed {
		return through.close()
	}
	return nil
}
