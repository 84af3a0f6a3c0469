package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/cli"
	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/startup"
	"github.com/cosi-emu/cosi-emu/internal/existingcluster"
	"github.com/cosi-emu/cosi-emu/internal/instance"
	"github.com/cosi-emu/cosi-emu/internal/osprocess"
	"github.com/cosi-emu/cosi-emu/internal/session"
)

func newDown(streams cli.Streams) *cobra.Command {
	var (
		name    string
		all     bool
		timeout time.Duration
	)
	cmd := &cobra.Command{
		Use:   "down",
		Short: "Stop an emulator",
		Long: `Stop an emulator that 'cosi-emu up' started, and delete its files. The command
succeeds if the emulator is not running; it then deletes the files of a killed
emulator. Data in a --data-dir is kept.`,
		Example: `  cosi-emu down
  cosi-emu down --name mine
  cosi-emu down --all`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, cancel := context.WithTimeout(cmd.Context(), timeout)
			defer cancel()
			if !all {
				return down(ctx, streams, name)
			}
			infos, err := instance.List()
			for _, info := range infos {
				err = errors.Join(err, down(ctx, streams, info.Name))
			}
			return err
		},
	}
	cli.AddName(cmd.Flags(), &name)
	cmd.Flags().BoolVar(&all, "all", false, "stop all emulators of this user")
	cmd.Flags().DurationVar(&timeout, "timeout", startup.StopTimeout, "time limit after which the emulator is killed")
	return cmd
}

func down(ctx context.Context, streams cli.Streams, name string) error {
	info, err := instance.Get(name)
	if errors.Is(err, instance.ErrNotRunning) {
		return cleanUp(ctx, streams, name)
	}
	if err != nil {
		return err
	}
	left := leftovers(info)
	if err := stopProcess(ctx, info); err != nil {
		return err
	}
	if _, err = fmt.Fprintf(streams.Out, "emulator %q is stopped\n", name); err != nil {
		return err
	}
	return left(ctx, streams)
}

// leftovers returns a function that prints, after the emulator has stopped, the objects that remain
// in its cluster. It reads the emulator's kubeconfig now, because Stop deletes that file.
func leftovers(info instance.Info) func(context.Context, cli.Streams) error {
	nothing := func(context.Context, cli.Streams) error { return nil }
	if info.Context == "" || !info.Ready {
		return nothing
	}
	c, err := existingcluster.Open(existingcluster.Options{Kubeconfig: info.Kubeconfig, Owner: info.Name})
	if err != nil { // the emulator could not have deleted anything either
		return func(context.Context, cli.Streams) error { return err }
	}
	return func(ctx context.Context, streams cli.Streams) error {
		defer c.Close()
		left, err := c.Leftovers(ctx, info.DriverName)
		return errors.Join(err, startup.PrintLeft(streams.Err, info.Context, left))
	}
}

// cleanUp deletes the files and objects of a killed emulator, by taking its place.
func cleanUp(ctx context.Context, streams cli.Streams, name string) error {
	var remains session.Remains
	clean := func(dir string) (err error) {
		remains, err = session.CleanUp(ctx, dir)
		return err
	}
	place, err := instance.Acquire(name, clean) //nolint:contextcheck // it waits for a fraction of a second
	if err != nil {
		return err
	}
	if err := place.Release(); err != nil {
		return err
	}
	if _, err := fmt.Fprintf(streams.Out, "emulator %q is not running\n", name); err != nil {
		return err
	}
	return errors.Join(remains.Err, startup.PrintLeft(streams.Err, remains.Context, remains.Left))
}

// stopProcess terminates the emulator, and kills it if ctx is done first.
func stopProcess(ctx context.Context, info instance.Info) error {
	if info.PID == 0 {
		return fmt.Errorf("emulator %q is only just starting; try again in a moment", info.Name)
	}
	if err := osprocess.Signal(info.PID, syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("stop emulator %q, process %d: %w", info.Name, info.PID, err)
	}
	err := instance.WaitStopped(ctx, info.Name)
	if err == nil {
		waitEnded(ctx, info.PID)
	}
	if err == nil || !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	if err := osprocess.Signal(info.PID, syscall.SIGKILL); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("kill emulator %q, process %d: %w", info.Name, info.PID, err)
	}
	return fmt.Errorf("emulator %q did not stop in time and was killed; run '%s' again to remove its files",
		info.Name, instance.Command("down", info.Name))
}

// waitEnded waits for the process itself, which releases its name just before it exits. A zombie
// remains longer and does no harm, so the wait is short.
func waitEnded(ctx context.Context, pid int) {
	const patience, interval = 2 * time.Second, 10 * time.Millisecond
	_ = wait.PollUntilContextTimeout(ctx, interval, patience, true, func(context.Context) (bool, error) {
		return !osprocess.Exists(pid), nil
	})
}
