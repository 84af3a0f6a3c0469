package binaries

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// fetch calls get to write the file at path. It cancels get if no byte arrives for too long, and
// reports the number of bytes.
func (c *cache) fetch(ctx context.Context, path string, get func(context.Context, io.Writer) error) error {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o700) //nolint:gosec // a program
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	w := &stallWriter{
		out: file, report: c.opts.Progress, began: time.Now(), timeout: c.opts.StallTimeout,
		update: Update{Phase: Downloading, Item: filepath.Base(path)},
	}
	w.timer = time.AfterFunc(c.opts.ConnectTimeout, func() { cancel(errStalled) })
	defer w.timer.Stop()
	err = get(ctx, w)
	if err != nil && errors.Is(context.Cause(ctx), errStalled) {
		err = fmt.Errorf("%w: %w", errStalled, err)
	}
	return errors.Join(err, file.Close())
}

var errStalled = errors.New("the server stopped answering")

// stallWriter writes a download, and resets the timeout with every write.
type stallWriter struct {
	out     io.Writer
	timer   *time.Timer
	timeout time.Duration
	began   time.Time
	report  func(Update)
	update  Update

	bytes    int64
	reported time.Time
}

func (w *stallWriter) Write(p []byte) (int, error) {
	w.timer.Reset(w.timeout)
	n, err := w.out.Write(p)
	w.bytes += int64(n)
	if now := time.Now(); now.Sub(w.reported) >= reportInterval {
		w.reported = now
		w.update.Elapsed = now.Sub(w.began)
		w.update.Message = fmt.Sprintf("%.1f MB", float64(w.bytes)/1e6)
		w.report(w.update)
	}
	return n, err
}
