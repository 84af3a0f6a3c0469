package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/cli"
	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/progress"
	"github.com/cosi-emu/cosi-emu/internal/instance"
	"github.com/cosi-emu/cosi-emu/internal/osprocess"
)

// recordsFlag makes the emulator in the background print its progress for the process with the
// terminal.
const recordsFlag = "progress-records"

const pollInterval = 50 * time.Millisecond

// upDetached runs `up` in a child process, relays its output until it is ready, and
// leaves it running.
func upDetached(cmd *cobra.Command, streams cli.Streams, name, output string) error {
	if _, err := instance.Get(name); err == nil {
		return instance.Running(name)
	}
	// A file, because a pipe would break when this process ends. It is unlinked, and vanishes with
	// the emulator.
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
	shown := progress.NewRelay(progress.New(streams.Err))
	info, err := child.waitReady(cmd.Context(), name, shown)
	err = errors.Join(err, shown.Close())
	if err != nil {
		return err
	}
	return printUp(streams, withFlagWarnings(cmd.Flags(), info), output, true)
}

type child struct {
	process    *os.Process
	ended      chan error
	transcript *os.File
	said       int64 // relayed bytes of the transcript
}

func startDetached(flags *pflag.FlagSet, transcript *os.File) (*child, error) {
	self, err := cli.Executable()
	if err != nil {
		return nil, err
	}
	// It must outlive this process, so it does not use its context.
	cmd := exec.CommandContext(context.Background(), self, append([]string{"up"}, repeatFlags(flags)...)...)
	cmd.Stderr = transcript // this process prints the result, which the child writes to its standard output
	cmd.SysProcAttr = osprocess.OwnSession()
	if key := flags.Lookup(cli.RootKeyFlag); key.Changed { // a secret, which the list of processes must not have
		cmd.Env = append(os.Environ(), variableOf(key)+"="+key.Value.String())
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the emulator in the background: %w", err)
	}
	c := &child{process: cmd.Process, ended: make(chan error, 1), transcript: transcript}
	go func() { c.ended <- cmd.Wait() }()
	return c, nil
}

// repeatFlags returns the given flags for the child, which inherits the environment.
func repeatFlags(flags *pflag.FlagSet) []string {
	args := []string{"--detach=false", "--output=" + cli.FormatText, "--" + recordsFlag}
	flags.Visit(func(flag *pflag.Flag) {
		if flag.Name == "detach" || flag.Name == "output" || flag.Name == cli.RootKeyFlag {
			return
		}
		for _, value := range cli.ValuesOf(flag) {
			args = append(args, "--"+flag.Name+"="+value)
		}
	})
	return args
}

// waitReady relays the child's output until its emulator is ready. If the child exits first, its
// output has the cause. If ctx is done, the child is stopped.
func (c *child) waitReady(ctx context.Context, name string, w io.Writer) (instance.Info, error) {
	ticker := time.NewTicker(pollInterval)
	defer ticker.Stop()
	for {
		info, err := instance.Get(name)
		ready := err == nil && info.Ready && info.PID == c.process.Pid
		// After the check, so that all earlier output is relayed.
		if err := c.relay(w); err != nil {
			return instance.Info{}, err
		}
		if ready {
			return info, nil
		}
		select {
		case <-ticker.C:
		case err := <-c.ended:
			return instance.Info{}, errors.Join(c.relay(w), childFailed(err))
		case <-ctx.Done():
			asked := c.process.Signal(syscall.SIGTERM)
			err := <-c.ended
			return instance.Info{}, errors.Join(asked, c.relay(w), childFailed(err))
		}
	}
}

// relay copies the new output of the child.
func (c *child) relay(w io.Writer) error {
	n, err := io.Copy(w, io.NewSectionReader(c.transcript, c.said, math.MaxInt64-c.said))
	c.said += n
	return err
}

// childFailed passes on the exit code. The message is already relayed.
func childFailed(err error) error {
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return cli.ExitError(exit.ExitCode())
	}
	return errors.Join(errors.New("the emulator ended before it was ready"), err)
}
