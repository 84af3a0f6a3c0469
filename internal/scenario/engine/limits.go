package engine

import (
	"context"
	"fmt"

	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
)

// limitError means that a scenario has exceeded one of its limits. It is no judgement of COSI.
type limitError struct {
	limit, max string // a field of setup.limits, and its value
}

func (l *limitError) Error() string {
	return fmt.Sprintf("the scenario exceeds setup.limits.%s (%s): reduce the scenario, or raise the limit", l.limit, l.max)
}

func limitReached(limit string, most any) error { return &limitError{limit, fmt.Sprint(most)} }

func (r *run) limits() spec.Limits { return r.scenario.Setup.Limits.OrDefault() }

// withinDuration limits the duration of all steps.
func (r *run) withinDuration(ctx context.Context) (context.Context, context.CancelFunc) {
	most := r.engine.timeouts.Scale(r.limits().Duration.Or(0))
	return context.WithTimeoutCause(ctx, most, limitReached("duration", most))
}

// countPut counts an object before a step puts it into a bucket.
func (r *run) countPut(size int) error {
	limits := r.limits()
	if spec.Bytes(size) > limits.PutBytes {
		return fmt.Errorf("the object has %d bytes: %w", size, limitReached("putBytes", limits.PutBytes))
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.puts >= int(limits.Puts) {
		return limitReached("puts", limits.Puts)
	}
	r.puts++
	return nil
}
