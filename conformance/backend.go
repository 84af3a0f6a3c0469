package conformance

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"
)

// The arguments of a backend command, and the exit code by which it reports that it does not
// support an argument.
const (
	ActionLose = "lose"
	ActionFail = "fail"
	ActionHeal = "heal"

	// ExitUnsupported is the exit code of a backend command without the action.
	ExitUnsupported = 64
)

// outputWait is how long a command's children may keep its output open after its end.
const outputWait = time.Second

// BackendCommand returns a Backend that runs a program: with the arguments "lose" and the ID
// of a bucket, with "fail", and with "heal". It exits with status 0 when the backend has
// changed, and with ExitUnsupported if it has no such action.
func BackendCommand(args []string) Backend { return backendCommand(args) }

type backendCommand []string

// Lose implements Backend.
func (b backendCommand) Lose(ctx context.Context, bucket string) error {
	return b.run(ctx, ActionLose, bucket)
}

// Fail implements Backend.
func (b backendCommand) Fail(ctx context.Context) error { return b.run(ctx, ActionFail) }

// Heal implements Backend.
func (b backendCommand) Heal(ctx context.Context) error { return b.run(ctx, ActionHeal) }

func (b backendCommand) run(ctx context.Context, action ...string) error {
	err := runCommand(ctx, append(append([]string(nil), b...), action...))
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() == ExitUnsupported {
		return fmt.Errorf("%w: %w", ErrUnsupported, err)
	}
	return err
}

// RestartCommand returns a Restart that runs a program.
func RestartCommand(args []string) func(ctx context.Context) error {
	return func(ctx context.Context) error { return runCommand(ctx, args) }
}

// runCommand runs a command. If it fails, the error contains its output.
func runCommand(ctx context.Context, args []string) error {
	var output bytes.Buffer
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &output, &output, outputWait
	err := cmd.Run()
	if errors.Is(err, exec.ErrWaitDelay) {
		return nil // it left a process behind, such as the driver that it restarted
	}
	if err != nil {
		return fmt.Errorf("%s: %w: %s", strings.Join(args, " "), err, bytes.TrimSpace(output.Bytes()))
	}
	return nil
}
