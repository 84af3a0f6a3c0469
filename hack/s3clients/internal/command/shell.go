// Package command runs command lines that are clients, and does operations with
// them.
package command

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"

	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/client"
	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/operation"
)

const (
	// limit bounds one command. The longest copies 64 MiB.
	limit = 90 * time.Second
	// keepOutput is how long an error message may be, in bytes.
	keepOutput = 600
)

// Shell is a program with its environment.
type Shell struct {
	Program string
	// Args go before those of each command.
	Args []string
	Env  []string
	// Dir is the working directory.
	Dir string
}

// With returns a shell with more environment variables, which win over others.
func (s Shell) With(env ...string) Shell {
	s.Env = append(append([]string(nil), s.Env...), env...)
	return s
}

// Run runs the program and returns its standard output. The error has the end of
// what it said.
func (s Shell) Run(ctx context.Context, args ...string) (string, error) {
	return s.RunWith(ctx, nil, args...)
}

// RunWith is Run with an input, which is a pipe and so of unknown length.
func (s Shell) RunWith(ctx context.Context, in io.Reader, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, s.Program, append(append([]string(nil), s.Args...), args...)...)
	cmd.Env, cmd.Dir, cmd.Stdin, cmd.WaitDelay = s.Env, s.Dir, in, time.Second
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	err := cmd.Run()
	if ctx.Err() != nil {
		err = fmt.Errorf("not done after %s", limit)
	}
	if err != nil {
		return out.String(), fmt.Errorf("%s: %w: %s", args[0], err, tail(said.String()+out.String()))
	}
	return out.String(), nil
}

func tail(text string) string {
	text = strings.TrimSpace(text)
	if len(text) > keepOutput {
		text = "…" + text[len(text)-keepOutput:]
	}
	return text
}

// Operations are those that a command line has.
type Operations map[operation.ID]func(context.Context) error

// Run implements client.Session.
func (o Operations) Run(ctx context.Context, id operation.ID) error {
	op := o[id]
	if op == nil {
		return client.ErrNone
	}
	return op(ctx)
}

// Close implements client.Session. Every command has ended by itself.
func (Operations) Close() error { return nil }
