package idle

import (
	"context"
	"time"
)

// Stall detects that no component will act on an object any more. The time that a
// component may need depends on the load of the machine, so the detector measures round
// trips to the API server instead of using a fixed time.
type Stall struct {
	// WaitQuiet waits for a silence. It returns false if the context ends before.
	WaitQuiet func(ctx context.Context, quiet time.Duration) bool
	// Idle reports whether no component is at work now.
	Idle func() bool
	// Rested returns the total idle time of the shared components since the silence began.
	Rested func() time.Duration
	// MayStay reports whether the state of the object may be final, and the least
	// silence after which it is.
	MayStay func(ctx context.Context) (silence time.Duration, final bool)
	// Probe makes one round trip to the API server.
	Probe func(ctx context.Context) error
}

// Wait returns true once no component will act, and false when the context ends. Silence before
// Wait does not count: the components may not have seen the latest change yet.
func (s *Stall) Wait(ctx context.Context) bool {
	began := time.Now()
	for ctx.Err() == nil {
		if s.WaitQuiet(ctx, LongQuiet) && s.stalled(ctx, began) {
			return true
		}
		Pause(ctx, LongQuiet)
	}
	return false
}

// stalled waits for a silence that is long for this machine, measured before and after.
func (s *Stall) stalled(ctx context.Context, began time.Time) bool {
	for waited := time.Duration(0); ; {
		silence, final := s.MayStay(ctx)
		if !final || !s.Idle() {
			return false
		}
		started := time.Now()
		if s.Probe(ctx) != nil {
			return false
		}
		silence = max(silence, latencyFactor*time.Since(started))
		if silence <= waited {
			return s.Idle() && s.Rested() >= LongQuiet
		}
		Pause(ctx, silence-time.Since(began))
		if !s.WaitQuiet(ctx, silence) {
			return false
		}
		waited = silence
	}
}

// Pause waits for a time, or until the context is done.
func Pause(ctx context.Context, delay time.Duration) {
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
