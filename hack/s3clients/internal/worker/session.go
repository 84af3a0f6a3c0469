package worker

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"

	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/client"
	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/operation"
)

// Session is a worker in another process. After an operation that took too long
// or ended the process, the next one starts it again.
type Session struct {
	// Command makes the command that starts the worker.
	Command func(context.Context) *exec.Cmd

	cancel context.CancelFunc
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Scanner
}

// Run has the worker do an operation.
func (s *Session) Run(ctx context.Context, id operation.ID) error {
	if s.cmd == nil {
		if err := s.start(context.WithoutCancel(ctx)); err != nil {
			return err
		}
	}
	stop := context.AfterFunc(ctx, s.cancel)
	a, err := s.ask(id)
	if !stop() || err != nil {
		return errors.Join(context.Cause(ctx), err, s.Close())
	}
	if a.None {
		return client.ErrNone
	}
	if a.Error != "" {
		return errors.New(a.Error)
	}
	return nil
}

func (s *Session) start(ctx context.Context) error {
	ctx, s.cancel = context.WithCancel(ctx)
	cmd := s.Command(ctx)
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start %s: %w", cmd.Path, err)
	}
	s.cmd, s.in, s.out = cmd, in, bufio.NewScanner(out)
	return nil
}

func (s *Session) ask(id operation.ID) (answer, error) {
	var a answer
	if _, err := fmt.Fprintln(s.in, id); err != nil {
		return a, err
	}
	if !s.out.Scan() {
		return a, fmt.Errorf("the worker has ended: %w", errors.Join(s.out.Err(), io.ErrUnexpectedEOF))
	}
	if err := json.Unmarshal(s.out.Bytes(), &a); err != nil {
		return a, fmt.Errorf("answer %q of the worker: %w", s.out.Text(), err)
	}
	return a, nil
}

// Close ends the worker.
func (s *Session) Close() error {
	if s.cmd == nil {
		return nil
	}
	s.cancel()
	_ = s.in.Close()
	_ = s.cmd.Wait() // it was killed
	s.cmd = nil
	return nil
}
