package engine

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
	"github.com/cosi-emu/cosi-emu/internal/scenario/starvation"
)

const (
	// maxStretch limits the duration of a step, in multiples of its timeout, on a starved machine
	// or while components make progress.
	maxStretch = 6
	// progressShare of a timeout is the time after its last progress during which a component may
	// still be at work.
	progressShare = 4
)

// StepTimeout returns the time limit of a step that has none of its own.
func StepTimeout(patience int) time.Duration {
	return time.Duration(max(patience, 1)) * time.Duration(spec.DefaultTimeout)
}

// CallTimeout returns a time limit for calls to the driver that ends them before the step that
// waits for them.
func CallTimeout(patience int) time.Duration { return StepTimeout(patience) / 2 }

// timeoutError is the cause of a step's ended context.
type timeoutError struct {
	timeout, elapsed time.Duration
	usage            starvation.Usage
	progressed       bool // components were at work when the timeout had come
}

func (t *timeoutError) Error() string { return "condition not met after " + t.duration() }

// duration returns how long the step has taken, and why it exceeded its timeout.
func (t *timeoutError) duration() string {
	const half = 2 // a noticeable part of the timeout, and a second
	if t.elapsed < t.timeout+max(t.timeout/half, time.Second) {
		return t.timeout.String()
	}
	stretcher := "the starved machine"
	if t.progressed {
		stretcher = "the progress of components"
	}
	return fmt.Sprintf("%s, which %s stretched to %s", t.timeout, stretcher, t.elapsed.Round(time.Second/10))
}

// after returns the cause of an ended wait, for messages.
func after(ctx context.Context) string {
	if timeout, ok := errors.AsType[*timeoutError](context.Cause(ctx)); ok {
		return " after " + timeout.duration()
	}
	return "; " + context.Cause(ctx).Error()
}

// withTimeout returns a context that ends after a time in which the emulator could run: waiting for
// a processor does not count, up to a limit.
func (e *Engine) withTimeout(ctx context.Context, timeout time.Duration) (within context.Context, stop func()) {
	return e.withProgress(ctx, timeout, nil)
}

// withProgress is like withTimeout, but also goes on while components make progress, up to the same
// limit. The function returns the time of the last progress.
func (e *Engine) withProgress(
	ctx context.Context, timeout time.Duration, progress func() time.Time,
) (within context.Context, stop func()) {
	within, cancel := context.WithCancelCause(ctx)
	t := &stretched{timeout: timeout, started: time.Now(), read: e.starvation.Read, progress: progress, cancel: cancel}
	t.mu.Lock()
	defer t.mu.Unlock()
	const first = 10 // most steps end before this part of the timeout
	t.timer = time.AfterFunc(timeout/first, t.begin)
	return within, t.stop
}

// stretched is a timeout that grows on a starved machine, or with progress.
type stretched struct {
	timeout  time.Duration
	started  time.Time
	read     func() starvation.Usage
	progress func() time.Time // nil: progress does not count
	cancel   context.CancelCauseFunc

	mu         sync.Mutex
	timer      *time.Timer
	before     starvation.Usage
	progressed bool
	ended      bool
}

// begin reads the initial figures for check.
func (t *stretched) begin() {
	before := t.read()
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ended {
		return
	}
	t.before = before
	t.timer = time.AfterFunc(t.timeout-time.Since(t.started), t.check)
}

// check ends the context, or sets the time of the next check.
func (t *stretched) check() {
	usage := t.read().Since(t.before)
	t.mu.Lock()
	defer t.mu.Unlock()
	elapsed := time.Since(t.started)
	left := t.timeout - time.Duration(float64(elapsed)*(1-usage.Share()))
	if left <= 0 && t.progress != nil {
		left = t.timeout/progressShare - time.Since(t.progress())
		t.progressed = t.progressed || left > 0
	}
	left = min(left, maxStretch*t.timeout-elapsed)
	switch {
	case t.ended:
	case left <= 0:
		t.cancel(&timeoutError{t.timeout, elapsed, usage, t.progressed})
	default:
		t.timer = time.AfterFunc(max(left, time.Millisecond), t.check)
	}
}

func (t *stretched) stop() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ended = true
	t.timer.Stop()
	t.cancel(nil)
}
