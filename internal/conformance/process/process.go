package process

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/subprocess"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
)

// Options select and configure the driver's program.
type Options struct {
	// Args are the program and its arguments, and Env its variables, as KEY=VALUE. Both can
	// refer to $(COSI_ENDPOINT), $(DRIVER_SOCKET), $(STATE_DIR) and Variables.
	Args, Env []string
	Variables map[string]string
	// Endpoint is the driver's endpoint, unix:///path, if it is compiled in. Default: a path in a
	// directory of its own, which is $(COSI_ENDPOINT).
	Endpoint string
	// EndpointFlag is the flag with which a user sets Endpoint, for errors.
	EndpointFlag string
	// ConnectTimeout is the time limit until DriverGetInfo answers.
	ConnectTimeout time.Duration
	// Journal gets the steps in the life of the process, and its output.
	Journal *journal.Journal
}

// Driver is a driver that runs at most once at a time. Its methods are safe for concurrent use.
type Driver struct {
	options       Options
	dir, endpoint string

	mu      sync.Mutex
	current *life // nil before the first
	lives   int
	exits   []string
}

// life is one run of the process.
type life struct {
	process *subprocess.DriverProcess
	number  int
	end     context.CancelFunc // sends SIGTERM
	ended   chan struct{}
	err     error // the reason of an unexpected end

	mu       sync.Mutex
	expected bool // its end was requested
	ready    bool
}

// Exit is the end of a process.
type Exit struct {
	// Code is the exit code, or -1 after a signal.
	Code int
	// Signal has ended the process; 0 if it exited.
	Signal syscall.Signal
}

// shellSignal is added to the number of a signal in the exit code of a shell.
const shellSignal = 128

// Clean returns whether a process ended as requested: with exit code 0, or by the signal.
func (e Exit) Clean() bool {
	return e.Code == 0 || e.Signal == syscall.SIGTERM || e.Code == shellSignal+int(syscall.SIGTERM)
}

func (e Exit) String() string {
	if e.Signal != 0 {
		return "signal: " + e.Signal.String()
	}
	return fmt.Sprintf("exit status %d", e.Code)
}

// New prepares a driver, which does not run yet.
func New(options Options) (*Driver, error) {
	dir, err := os.MkdirTemp("", "cosi-emu-")
	if err != nil {
		return nil, fmt.Errorf("create the directory of the driver: %w", err)
	}
	d := &Driver{options: options, dir: dir, endpoint: options.Endpoint}
	if d.endpoint == "" {
		d.endpoint = d.Elsewhere("driver")
	}
	if err := os.Mkdir(d.stateDir(), dirMode); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return d, nil
}

const dirMode = 0o700

func (d *Driver) stateDir() string { return filepath.Join(d.dir, "state") }

// Endpoint returns the driver's endpoint.
func (d *Driver) Endpoint() string { return d.endpoint }

// Elsewhere returns the endpoint of a name in a directory of its own.
func (d *Driver) Elsewhere(name string) string {
	return "unix://" + filepath.Join(d.dir, name, "cosi.sock")
}

// How configures a start of the driver.
type How struct {
	// Endpoint replaces the driver's own.
	Endpoint string
	// KeepSocket keeps the socket of an earlier process.
	KeepSocket bool
}

// Start starts the driver, and returns when it answers. It ends a driver that does not answer.
func (d *Driver) Start(ctx context.Context, how How) error {
	if err := d.Launch(how); err != nil { //nolint:contextcheck // the process outlives the start
		return err
	}
	err := d.Await(ctx)
	if err != nil {
		d.Kill()
	}
	return err
}

// Launch starts the driver.
func (d *Driver) Launch(how How) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.current.runs() {
		return errors.New("the driver runs already")
	}
	d.lives++
	number := d.lives
	d.step(number, journal.StepStart, "")
	process, err := subprocess.NewDriver(d.processOptions(number, how))
	if err != nil {
		d.step(number, journal.StepFail, err.Error())
		return err
	}
	ctx, end := context.WithCancel(context.Background())
	l := &life{process: process, number: number, end: end, ended: make(chan struct{})}
	go func() {
		defer close(l.ended)
		l.err = process.Start(ctx)
		end()
		d.over(l)
	}()
	d.current = l
	return nil
}

func (d *Driver) processOptions(number int, how How) subprocess.DriverOptions {
	variables := map[string]string{subprocess.VariableStateDir: d.stateDir()}
	maps.Copy(variables, d.options.Variables)
	endpoint := d.endpoint
	if how.Endpoint != "" {
		endpoint = how.Endpoint
	}
	return subprocess.DriverOptions{
		Args: d.options.Args, Env: d.options.Env, Variables: variables, Dir: d.dir,
		Socket: endpoint, SocketFlag: d.options.EndpointFlag, KeepSocket: how.KeepSocket,
		ConnectTimeout: d.options.ConnectTimeout, Identify: identify,
		Logger: d.options.Journal.Logger(vocabulary.Driver, number, 0),
		Redact: func(text string) string { redacted, _ := d.options.Journal.Redact(text); return redacted },
	}
}

// over records the end of a life. A process that has ended by itself after it was ready has failed.
func (d *Driver) over(l *life) {
	l.mu.Lock()
	expected, ready := l.expected, l.ready
	l.mu.Unlock()
	if expected {
		return
	}
	d.step(l.number, journal.StepFail, l.err.Error())
	if ready {
		d.mu.Lock()
		d.exits = append(d.exits, l.err.Error())
		d.mu.Unlock()
	}
}

// step adds a step in the life of the process to the journal.
func (d *Driver) step(number int, name, message string) {
	e := d.options.Journal.Begin(vocabulary.Driver, number, journal.SeamProcess, journal.Operation{Name: name})
	e.Outcome, e.Message = journal.OutcomeOK, message
	if name == journal.StepFail {
		e.Outcome = "Exited"
	}
	d.options.Journal.Append(e)
}

// Await returns when the driver answers DriverGetInfo, or an error when its process ends
// before, or after the timeout.
func (d *Driver) Await(ctx context.Context) error {
	l := d.life()
	if l == nil {
		return errors.New("the driver does not run")
	}
	ready, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-l.ended:
			cancel()
		case <-ready.Done():
		}
	}()
	err := l.process.WaitReady(ready)
	select {
	case <-l.ended:
		if l.err != nil {
			return l.err
		}
		return errors.New("the driver was ended before it answered")
	default:
	}
	if err != nil {
		return err
	}
	l.mu.Lock()
	l.ready = true
	l.mu.Unlock()
	d.step(l.number, journal.StepReady, "")
	return nil
}

func (d *Driver) life() *life {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.current
}

func (l *life) runs() bool {
	if l == nil {
		return false
	}
	select {
	case <-l.ended:
		return false
	default:
		return true
	}
}

// expect marks the end of a life as requested. It returns whether the process still runs.
func (l *life) expect() bool {
	if !l.runs() {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.expected = true
	return true
}

// Running returns whether the process runs.
func (d *Driver) Running() bool { return d.life().runs() }

// Stop ends the process like the kubelet: it sends SIGTERM, and SIGKILL if the process does not end
// within ten seconds.
func (d *Driver) Stop() Exit {
	l := d.life()
	if l.expect() {
		d.step(l.number, journal.StepStop, "")
		l.end()
	}
	return l.wait()
}

// Kill is kill -9. It returns when the process has ended.
func (d *Driver) Kill() {
	l := d.life()
	if l.expect() {
		d.step(l.number, journal.StepCrash, "")
		l.process.Kill()
		<-l.ended
	}
}

// wait waits for the end of a process.
func (l *life) wait() Exit {
	if l == nil {
		return Exit{}
	}
	<-l.ended
	state := l.process.State()
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return Exit{Code: -1, Signal: status.Signal()}
	}
	return Exit{Code: state.ExitCode()}
}

// WaitEnd returns when the process has ended, or the context is done.
func (d *Driver) WaitEnd(ctx context.Context) {
	l := d.life()
	if l == nil {
		return
	}
	select {
	case <-l.ended:
	case <-ctx.Done():
	}
}

// LeaveSocket creates a socket at the driver's endpoint, like a killed process, if there is none.
// The driver must not run.
func (d *Driver) LeaveSocket() error {
	path := subprocess.SocketPath(d.endpoint)
	if _, err := os.Lstat(path); err == nil {
		return nil
	}
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return err
	}
	listener.SetUnlinkOnClose(false)
	return listener.Close()
}

// Restart ends the process, if it runs, and starts it again.
func (d *Driver) Restart(ctx context.Context) error {
	d.Stop()
	return d.Start(ctx, How{})
}

// Exits describes the unexpected ends of processes that had answered.
func (d *Driver) Exits() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]string(nil), d.exits...)
}

// Close ends the process, and deletes its files.
func (d *Driver) Close() error {
	d.Stop()
	return os.RemoveAll(d.dir)
}
