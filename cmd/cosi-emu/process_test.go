package main_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/cosi-emu/cosi-emu/internal/osprocess"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

func kill(t *testing.T, pid int) {
	t.Helper()
	if pid <= 1 {
		t.Fatalf("there is no process %d", pid)
	}
	if err := osprocess.Signal(pid, syscall.SIGKILL); err != nil {
		t.Fatalf("kill %d: %v", pid, err)
	}
}

// process is the program running in the foreground.
type process struct {
	t        *testing.T
	cmd      *exec.Cmd
	out, err harness.Buffer
	ended    chan struct{} // closed after Wait
}

func (h *home) start(args ...string) *process {
	h.t.Helper()
	p := &process{t: h.t, cmd: h.command(context.Background(), args...), ended: make(chan struct{})}
	p.cmd.Stdout, p.cmd.Stderr = &p.out, &p.err
	if err := p.cmd.Start(); err != nil {
		h.t.Fatal(err)
	}
	go func() {
		defer close(p.ended)
		_ = p.cmd.Wait() // the exit code is enough
	}()
	h.t.Cleanup(func() {
		if err := p.cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
			h.t.Error(err)
		}
		<-p.ended
	})
	return p
}

func (p *process) waitFor(text string) {
	p.t.Helper()
	harness.Until(p.t, "the program prints "+text, func(context.Context) (bool, error) {
		select {
		case <-p.ended:
			if !strings.Contains(p.out.String(), text) {
				return false, errors.New("it has ended: " + p.err.String())
			}
		default:
		}
		return strings.Contains(p.out.String(), text), nil
	})
}

func (p *process) signal(s os.Signal) {
	p.t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil {
		p.t.Fatal(err)
	}
}

func (p *process) wait() int {
	p.t.Helper()
	harness.Until(p.t, "the program ends", func(context.Context) (bool, error) {
		select {
		case <-p.ended:
			return true, nil
		default:
			return false, nil
		}
	})
	return p.cmd.ProcessState.ExitCode()
}
