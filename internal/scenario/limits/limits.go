// Package limits counts the objects that a scenario creates, and ends a scenario that exceeds one of
// its limits.
package limits

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
)

// Error means that a scenario has exceeded one of its limits. It is no judgement of COSI.
type Error struct {
	limit, max string // a field of setup.limits, and its value
}

// Error implements error.
func (e *Error) Error() string {
	return fmt.Sprintf("the scenario exceeds setup.limits.%s (%s): reduce the scenario, or raise the limit", e.limit, e.max)
}

func reached(limit string, most any) error { return &Error{limit, fmt.Sprint(most)} }

// WithDuration limits the duration of all steps.
func WithDuration(ctx context.Context, most time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, most, reached("duration", most))
}

// Puts counts the objects that steps put into buckets.
type Puts struct {
	limits spec.Limits

	mu    sync.Mutex
	count int
}

// NewPuts returns a counter with the limits of a scenario.
func NewPuts(limits spec.Limits) *Puts { return &Puts{limits: limits} }

// Add counts an object before a step puts it into a bucket.
func (p *Puts) Add(size int) error {
	if spec.Bytes(size) > p.limits.PutBytes {
		return fmt.Errorf("the object has %d bytes: %w", size, reached("putBytes", p.limits.PutBytes))
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.count >= int(p.limits.Puts) {
		return reached("puts", p.limits.Puts)
	}
	p.count++
	return nil
}

// Any reports whether a step has put an object into a bucket.
func (p *Puts) Any() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.count > 0
}
