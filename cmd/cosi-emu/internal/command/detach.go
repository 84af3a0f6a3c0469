package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/cosi-emu/cosi-emu/emulator/instance"
)

const pollInterval = 50 * time.Millisecond

// upDetached runs `up` in a process of its own, shows what it says until it is
// ready, and leaves it running.
func upDetached(cmd *cobra.Command, streams Streams, name, output string) error {
	if _, err := instance.Get(name); err == nil {
		return fmt.Errorf("emulator %q: %w", name, instance.ErrRunning)
	}
	// A file, because a pipe would break when this process ends. It has no name
	// after that, and vanishes with the emulator.
	transcript, err := os.CreateTemp("", "cosi-emu-up-")
	if err != nil {
		return err
	}
	defer transcript.Close()           //nolint:errcheck // only read from here
	defer os.Remove(transcript.Name()) //nolint:errcheck // removing a temporary file
	child, err := startDetached(cmd.Flags(), transcript)
	if err != nil {
		return err
	}
	info, err := child.waitReady(cmd.Context(), name, streams.Err)
	if err != nil {
		return err
	}
	return printUp(streams, info, output, true)
}

// child is the process that has been left running.
type child struct {
	process    *os.Process
	ended      chan error
	transcript *os.File
}

func startDetached(flags *pflag.FlagSet, transcript *os.File) (*child, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	// It must not end with this process, so it is not bound to its context.
	cmd := exec.CommandContext(context.Background(), self, append([]string{"up"}, repeatFlags(flags)...)...)
	cmd.Stdout, cmd.Stderr = transcript, transcript
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the emulator in the background: %w", err)
	}
	c := &child{process: cmd.Process, ended: make(chan error, 1), transcript: transcript}
	go func() { c.ended <- cmd.Wait() }()
	return c, nil
}

// repeatFlags returns the flags that were given, for another process. Those of
// the environment it inherits.
func repeatFlags(flags *pflag.FlagSet) []string {
	args := []string{"--detach=false", "--output=" + formatText}
	flags.Visit(func(flag *pflag.Flag) {
		if flag.Name != "detach" && flag.Name != "output" {
			args = append(args, "--"+flag.Name+"="+flag.Value.String())
		}
	})
	return args
}

// waitReady relays what the child says until its emulator is ready. If it ends
// before, its last words say why; if ctx is done, it is stopped.
func (c *child) waitReady(ctx context.Context, name string, relay io.Writer) (instance.Info, error) {
	ticker := time.NewTicker(pollInterval)
	defer ticker.Stop()
	said := int64(0)
	for {
		info, err := instance.Get(name)
		if err == nil && info.Ready && info.PID == c.process.Pid {
			return info, nil
		}
		if said, err = c.relay(said, relay); err != nil {
			return instance.Info{}, err
		}
		select {
		case <-ticker.C:
		case err := <-c.ended:
			if _, relayErr := c.relay(said, relay); relayErr != nil {
				return instance.Info{}, relayErr
			}
			return instance.Info{}, childFailed(err)
		case <-ctx.Done():
			return instance.Info{}, errors.Join(ctx.Err(), c.process.Signal(syscall.SIGTERM), <-c.ended)
		}
	}
}

// relay copies what the child has said since, and returns how much that is.
func (c *child) relay(said int64, w io.Writer) (int64, error) {
	n, err := io.Copy(w, io.NewSectionReader(c.transcript, said, 1<<40))
	return said + n, err
}

// childFailed passes on the exit code; the message has been relayed.
func childFailed(err error) error {
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return exitError(exit.ExitCode())
	}
	return errors.Join(errors.New("the emulator ended before it was ready"), err)
}
