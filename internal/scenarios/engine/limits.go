package engine

import (
	"context"
	"fmt"

	"github.com/cosi-emu/cosi-emu/internal/scenarios/spec"
)

// limitError says that a scenario has reached one of its limits. That says nothing
// about COSI.
type limitError struct {
	limit, most string // a field of setup.limits, and its value
}

// Error implements the error interface.
func (l *limitError) Error() string {
	return fmt.Sprintf("the scenario has reached its limit setup.limits.%s, which is %s: do less, or raise it", l.limit, l.most)
}

func reached(limit string, most any) error { return &limitError{limit, fmt.Sprint(most)} }

func (r *run) limits() spec.Limits { return r.scenario.Setup.Limits.OrDefault() }

// withinDuration bounds all steps.
func (r *run) withinDuration(ctx context.Context) (context.Context, context.CancelFunc) {
	most := r.engine.patient(r.limits().Duration.Or(0))
	return context.WithTimeoutCause(ctx, most, reached("duration", most))
}

// mayPut counts an object that a step is about to put into a bucket.
func (r *run) mayPut(size int) error {
	limits := r.limits()
	if spec.Bytes(size) > limits.PutBytes {
		return fmt.Errorf("the object has %d bytes: %w", size, reached("putBytes", limits.PutBytes))
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.puts >= int(limits.Puts) {
		return reached("puts", limits.Puts)
	}
	r.puts++
	return nil
}
