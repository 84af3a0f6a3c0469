// Package timeout limits the duration of steps and calls, so that the speed of the machine does not
// decide about a scenario: a timeout grows while threads wait for a processor.
package timeout

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
	"github.com/cosi-emu/cosi-emu/internal/scenario/starvation"
)

// Step returns the time limit of a step that has none of its own.
func Step(patience int) time.Duration {
	return scale(patience, time.Duration(spec.DefaultTimeout))
}

// Call returns a time limit for calls to the driver that ends them before the step that waits for
// them.
func Call(patience int) time.Duration { return Step(patience) / 2 }

func scale(patience int, limit time.Duration) time.Duration {
	return time.Duration(max(patience, 1)) * limit
}

// Error is the cause of a context that a timeout has ended.
type Error struct {
	Elapsed time.Duration
	Usage   starvation.Usage

	timeout    time.Duration
	progressed bool // components were at work when the timeout had come
}

// Error implements error.
func (e *Error) Error() string { return "condition not met after " + e.duration() }

// duration returns how long the step has taken, and why it exceeded its timeout.
func (e *Error) duration() string {
	const half = 2 // a noticeable part of the timeout, and a second
	if e.Elapsed < e.timeout+max(e.timeout/half, time.Second) {
		return e.timeout.String()
	}
	stretcher := "the starved machine"
	if e.progressed {
		stretcher = "the progress of components"
	}
	return fmt.Sprintf("%s, which %s stretched to %s", e.timeout, stretcher, e.Elapsed.Round(time.Second/10))
}

// After returns the cause of an ended wait, for messages.
func After(ctx context.Context) string {
	if timeout, ok := errors.AsType[*Error](context.Cause(ctx)); ok {
		return " after " + timeout.duration()
	}
	return "; " + context.Cause(ctx).Error()
}
