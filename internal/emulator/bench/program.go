package bench

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
	"github.com/cosi-emu/cosi-emu/internal/emulator/bench/figure"
	"github.com/cosi-emu/cosi-emu/internal/emulator/instance"
	"github.com/cosi-emu/cosi-emu/internal/osprocess"
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
	args := []string{"up", "--detach", "--output=json", "--name=" + p.name}
	if kind := opts.ControlPlane; kind != "" {
		args = append(args, "--control-plane="+string(kind))
	}
	if dir := opts.Binaries.Dir; dir != "" {
		args = append(args, "--control-plane-dir="+dir)
	}
	out, err := p.run(ctx, args...)
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
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(ctx, p.path, args...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = interruptDelay
	// A Ctrl-C is for this process, which passes it on in its own time.
	cmd.SysProcAttr = osprocess.OwnGroup()
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "COSI_EMU_") })
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("cosi-emu %s: %w\n%s", args[0], err, errs.String())
	}
	return out.Bytes(), nil
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
