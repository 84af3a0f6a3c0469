package engine

import (
	"context"
	"time"
)

// slowness is how many times as long as one round trip to the API server it must be
// silent before it is clear that nobody will act: between any two things that a
// component does there are a few, of which any may be slower than most.
const slowness = 40

// vigil is kept over an object that is to go, until it is clear that nobody will act
// on it. How long somebody may take to act depends on how busy the machine is, so no
// fixed time tells: a round trip to the API server is the yardstick.
type vigil struct {
	// rest waits until nothing has happened for a time. It returns false if the
	// context ends before.
	rest func(ctx context.Context, quiet time.Duration) bool
	// idle reports whether nobody is at work just now.
	idle func() bool
	// abandoned reports whether the object is in a state in which it may stay for
	// ever, and how long it must be silent at least.
	abandoned func(ctx context.Context) (silence time.Duration, abandoned bool)
	// roundTrip takes something to the API server, and back by a watch.
	roundTrip func(ctx context.Context) error
}

// keep returns true as soon as it is clear that nobody will act, and false when the
// context ends.
func (v *vigil) keep(ctx context.Context) bool {
	for ctx.Err() == nil {
		if v.rest(ctx, longRest) && v.over(ctx) {
			return true
		}
		Pause(ctx, longRest)
	}
	return false
}

// over reports whether nobody will act, after a silence that is long for a machine as
// fast as this one is before and after it.
func (v *vigil) over(ctx context.Context) bool {
	for waited := time.Duration(0); ; {
		silence, abandoned := v.abandoned(ctx)
		if !abandoned || !v.idle() {
			return false
		}
		started := time.Now()
		if v.roundTrip(ctx) != nil {
			return false
		}
		silence = max(silence, slowness*time.Since(started))
		if silence <= waited {
			return v.idle()
		}
		if !v.rest(ctx, silence) {
			return false
		}
		waited = silence
	}
}
