//go:build unix

package envtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/cosi-emu/cosi-emu/internal/controlplane"
)

// EndOrphans ends the components of a control plane in dir whose process and watchdog were killed.
// It does nothing without such processes or directory. The error is controlplane.ErrDirInUse if
// their process still runs. Start calls it for its own directory.
func EndOrphans(ctx context.Context, dir string) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	files := layout{dir: dir}
	if _, err := os.Stat(files.runs()); os.IsNotExist(err) {
		return nil
	}
	lock, err := controlplane.Lock(files.dir)
	if err != nil {
		return err
	}
	return errors.Join(files.endOrphans(ctx), lock.Unlock())
}

// endOrphans does the work of killed watchdogs. The caller holds the lock.
func (l layout) endOrphans(ctx context.Context) error {
	runs, err := os.ReadDir(l.runs())
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	for _, run := range runs {
		if err := endRun(ctx, layout{dir: l.dir, id: run.Name()}); err != nil {
			return err
		}
	}
	return nil
}

// endRun ends the processes of one control plane.
func endRun(ctx context.Context, files layout) error {
	ctx, cancel := context.WithTimeout(ctx, watchdogTimeout)
	defer cancel()
	// Without standard input, the script ends immediately.
	if err := watchdogCommand(ctx, files, true).Run(); err != nil {
		return fmt.Errorf("end the processes of an earlier control plane in %s: %w", files.dir, err)
	}
	return nil
}
