package worker

import "time"

// backOff are pauses that double up to a limit.
type backOff struct{ pause, limit time.Duration }

func newBackOff(first, limit time.Duration) *backOff { return &backOff{first, limit} }

func (b *backOff) next() time.Duration {
	pause := b.pause
	b.pause = min(2*b.pause, b.limit)
	return pause
}
