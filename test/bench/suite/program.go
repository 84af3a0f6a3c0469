package suite

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/internal/instance"
	"github.com/cosi-emu/cosi-emu/internal/osprocess"
	"github.com/cosi-emu/cosi-emu/test/bench/figure"
)

// interruptDelay is how long the program may take to clean up when it is
// interrupted.
const interruptDelay = 30 * time.Second

// program is an emulator that runs as a process of its own, as users run it.
type program struct {
	path string
	name string
	info instance.Info
}

// startProgram runs `cosi-emu up -d`. When it has failed, nothing is left.
func startProgram(ctx context.Context, opts Options) (*program, error) {
	p := &program{path: opts.Program, name: "bench-" + strconv.Itoa(os.Getpid())}
	out, err := p.run(ctx, append([]string{"up", "--detach", "--output=json", "--name=" + p.name}, opts.controlPlaneFlags()...)...)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(out, &p.info); err != nil {
		return nil, errors.Join(fmt.Errorf("what cosi-emu up prints: %w", err), p.stop(context.WithoutCancel(ctx)))
	}
	return p, nil
}

func (p *program) stop(ctx context.Context) error {
	_, err := p.run(ctx, "down", "--name="+p.name)
	return err
}

func (p *program) run(ctx context.Context, args ...string) ([]byte, error) {
	done, err := execute(ctx, p.path, args...)
	if err == nil && done.code != 0 {
		err = done.failure()
	}
	return done.out, err
}

// execution is a command of the program that has ended.
type execution struct {
	command   string
	out, errs []byte
	code      int
	// elapsed is the time by the clock, and used the processor time of the process and of
	// the processes that it has started and waited for.
	elapsed, used time.Duration
}

// failure is the error of a command whose exit code reports a failure.
func (e execution) failure() error {
	return fmt.Errorf("cosi-emu %s: exit code %d\n%s", e.command, e.code, e.errs)
}

// execute runs a command of the program, without the variables that would change it. It is
// an error if the command does not end by itself; an exit code is none.
func execute(ctx context.Context, path string, args ...string) (execution, error) {
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = interruptDelay
	// A Ctrl-C is for this process, which passes it on in its own time.
	cmd.SysProcAttr = osprocess.OwnGroup()
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "COSI_EMU_") })
	begin := time.Now()
	err := cmd.Run()
	done := execution{command: args[0], elapsed: time.Since(begin), out: out.Bytes(), errs: errs.Bytes()}
	if state := cmd.ProcessState; state != nil {
		done.used = state.UserTime() + state.SystemTime()
		done.code = state.ExitCode()
	}
	exit, ok := errors.AsType[*exec.ExitError](err)
	if ctx.Err() == nil && ok && exit.Exited() {
		err = nil
	}
	if err != nil {
		err = fmt.Errorf("cosi-emu %s: %w\n%s", args[0], err, errs.String())
	}
	return done, err
}

// target connects to the emulator, as an administrator.
func (p *program) target() (*target, error) {
	cfg, err := clientcmd.BuildConfigFromFlags("", p.info.Kubeconfig)
	if err != nil {
		return nil, err
	}
	cfg.QPS = -1 // no other client uses the API server
	scheme, err := emulator.NewScheme()
	if err != nil {
		return nil, err
	}
	c, err := client.NewWithWatch(cfg, client.Options{Scheme: scheme})
	if err != nil {
		return nil, err
	}
	return newTarget(c, p.info.Journal), nil
}

// withProgram starts an emulator for a measurement, and stops it after.
func withProgram(
	ctx context.Context, opts Options, measure func(*program, *target) ([]figure.Figure, error),
) (figures []figure.Figure, err error) {
	p, err := startProgram(ctx, opts)
	if err != nil {
		return nil, err
	}
	defer func() {
		stopCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
		defer cancel()
		err = errors.Join(err, p.stop(stopCtx))
	}()
	t, err := p.target()
	if err != nil {
		return nil, err
	}
	return measure(p, t)
}
