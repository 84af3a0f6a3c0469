package worker

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/pods/containerlog"
	"github.com/cosi-emu/cosi-emu/internal/pods/environment"
	"github.com/cosi-emu/cosi-emu/internal/subprocess"
)

// process is one run of a container.
type process struct {
	container *container
	command   *command
	program   *subprocess.Program
	log       *containerlog.Log
	record    Run
	begun     metav1.Time
	done      chan struct{} // closed when the program has ended

	mu   sync.Mutex
	step string // why it ends, unless by itself
}

// outputDelay is how long other processes of a container may hold its output after its first one has ended.
const outputDelay = time.Second

func now() metav1.Time { return metav1.Now().Rfc3339Copy() }

// start starts the program of the container.
func (c *container) start(ctx context.Context, command *command) (_ *process, err error) {
	w := c.worker
	w.mu.Lock()
	number := c.restarts
	w.mu.Unlock()
	p := &process{container: c, command: command, begun: now(), done: make(chan struct{})}
	p.record = w.config.NewRun(c.component(), int(number)+1)
	if err := p.record.Begin(ctx); err != nil {
		return nil, err
	}
	if p.log, err = containerlog.Create(c.dir(number) + ".log"); err != nil {
		return nil, err
	}
	cmd := command.exec(command.args)
	out := p.log.Writer()
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = out, out, outputDelay // one pipe, so that lines keep their order
	p.program, err = subprocess.StartProgram(cmd, w.newMark())    //nolint:contextcheck // its owner ends it
	if err != nil {
		err = explainStart(err, cmd)
		p.record.Record(journal.StepFail, err.Error())
		return nil, errors.Join(err, p.log.Close())
	}
	go func() {
		defer close(p.done)
		_, failed := p.program.Wait() // its state has the exit code
		_ = errors.Join(failed, out.Close(), p.log.Close())
	}()
	w.change(func() {
		if c.state.Terminated != nil {
			c.last = c.state
		}
		if c.previousLog = c.log; c.log != nil && number > 1 {
			_ = os.Remove(c.dir(number-2) + ".log")
		}
		c.log, c.process, c.image = p.log, p, command.args[0]
		c.state = corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: p.begun}}
		spec := environment.Container(w.pod, c.name)
		c.started = spec.StartupProbe == nil
		c.ready = spec.ReadinessProbe == nil && c.started
	})
	w.changes.notify()
	w.event(corev1.EventTypeNormal, "Started", "Container started")
	return p, nil
}

// explainStart names the largest part of a command that is too large.
func explainStart(err error, cmd *exec.Cmd) error {
	if !errors.Is(err, syscall.E2BIG) {
		return err
	}
	largest := slices.MaxFunc(cmd.Env, func(a, b string) int { return cmp.Compare(len(a), len(b)) })
	name, value, _ := strings.Cut(largest, "=")
	return fmt.Errorf("%w: this machine limits the size of arguments and variables, and variable %s has %d bytes: "+
		"mount large values as files", err, name, len(value))
}

// newMark returns a mark of one program: another with the same mark would end with it.
func (w *Worker) newMark() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.programs++
	return subprocess.MarkOf(fmt.Sprintf("%s-%d", w.pod.UID, w.programs))
}

// supervise waits for the end of a process, which ends when ctx is done or a probe fails.
func (c *container) supervise(ctx context.Context, p *process) (success bool) {
	living, stopProbes := context.WithCancel(ctx)
	var probes sync.WaitGroup
	probes.Go(func() { p.probe(living) })
	if handler := c.spec().Lifecycle; handler != nil && handler.PostStart != nil {
		probes.Go(func() { p.postStart(living, handler.PostStart) })
	}
	select {
	case <-p.done:
	case <-ctx.Done():
		c.worker.endProcess(p, p.grace()) //nolint:contextcheck // it ends by the grace period
	}
	stopProbes()
	<-p.done
	probes.Wait()
	state, step := p.result() //nolint:contextcheck // it reads a file
	p.record.Record(step, state.Reason+", exit code "+strconv.Itoa(int(state.ExitCode)))
	c.terminated(state)
	c.worker.changes.notify()
	_ = os.RemoveAll(p.command.home)
	return state.ExitCode == 0
}

// grace is the time that the process has to end.
func (p *process) grace() time.Duration {
	w := p.container.worker
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.grace
}

// end ends a process: by its preStop hook and SIGTERM, and by SIGKILL after the grace period. It returns when the
// process has ended.
func (w *Worker) endProcess(p *process, grace time.Duration) {
	p.because(journal.StepStop)
	ctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	if grace > 0 {
		w.event(corev1.EventTypeNormal, "Killing", "Stopping container "+p.container.name)
		if l := p.container.spec().Lifecycle; l != nil && l.PreStop != nil {
			if err := p.handle(ctx, l.PreStop); err != nil && ctx.Err() == nil {
				w.event(corev1.EventTypeWarning, "FailedPreStopHook", "PreStopHook failed: "+err.Error())
			}
		}
		_ = p.program.Terminate() // it may have ended by itself
	}
	for {
		changed := w.changes.next()
		if shorter := p.grace(); shorter < grace { // deleted again, with a shorter period
			w.endProcess(p, shorter)
			return
		}
		select {
		case <-p.done:
			return
		case <-ctx.Done():
			_ = p.program.Signal(syscall.SIGKILL) // it may have ended by itself
			<-p.done
			return
		case <-changed:
		}
	}
}

// Crash kills the process of a container, as kill -9 does. It reports whether one runs.
func (w *Worker) Crash(container string) bool {
	w.mu.Lock()
	var p *process
	for _, c := range w.all() {
		if c.name == container {
			p = c.process
		}
	}
	w.mu.Unlock()
	if p == nil {
		return false
	}
	p.because(journal.StepCrash)
	if err := p.program.Signal(syscall.SIGKILL); err != nil {
		return false
	}
	<-p.done
	return true
}

func (p *process) because(step string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.step == "" {
		p.step = step
	}
}

// signalCode is added to the number of the signal that ended a program, as in a shell.
const signalCode = 128

// result returns the state of a process that has ended, and its step in the journal.
func (p *process) result() (corev1.ContainerStateTerminated, string) {
	state := corev1.ContainerStateTerminated{
		Reason: "Completed", StartedAt: p.begun, FinishedAt: now(), ContainerID: p.id(),
	}
	if status, ok := p.program.State().Sys().(syscall.WaitStatus); ok && status.Signaled() {
		state.Signal, state.ExitCode = int32(status.Signal()), signalCode+int32(status.Signal()) //nolint:gosec // signals are small
	} else {
		state.ExitCode = int32(p.program.State().ExitCode()) //nolint:gosec // it is a byte
	}
	if state.ExitCode != 0 {
		state.Reason = "Error"
	}
	state.Message = p.message(state.ExitCode != 0)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.step == "" {
		return state, journal.StepExit
	}
	return state, p.step
}

func (p *process) id() string { return fmt.Sprintf("process://%d", p.program.PID()) }
