package timeout

import (
	"context"
	"sync"
	"time"

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

// Stretcher limits contexts on one machine. It is safe for concurrent use.
type Stretcher struct {
	// Patience multiplies the timeouts that Scale returns; less than 1 means 1.
	Patience int

	starvation starvation.Meter
}

// Scale returns a timeout for this machine.
func (s *Stretcher) Scale(limit time.Duration) time.Duration { return scale(s.Patience, limit) }

// With returns a context that ends after a time in which the emulator could run: waiting for
// a processor does not count, up to a limit.
func (s *Stretcher) With(ctx context.Context, timeout time.Duration) (within context.Context, stop func()) {
	return s.WithProgress(ctx, timeout, nil)
}

// WithProgress is like With, but also goes on while components make progress, up to the same
// limit. The function returns the time of the last progress.
func (s *Stretcher) WithProgress(
	ctx context.Context, timeout time.Duration, progress func() time.Time,
) (within context.Context, stop func()) {
	within, cancel := context.WithCancelCause(ctx)
	t := &stretched{timeout: timeout, started: time.Now(), read: s.starvation.Read, progress: progress, cancel: cancel}
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
func (s *stretched) begin() {
	before := s.read()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return
	}
	s.before = before
	s.timer = time.AfterFunc(s.timeout-time.Since(s.started), s.check)
}

// check ends the context, or sets the time of the next check.
func (s *stretched) check() {
	usage := s.read().Since(s.before)
	s.mu.Lock()
	defer s.mu.Unlock()
	elapsed := time.Since(s.started)
	left := s.timeout - (elapsed - usage.Lost(elapsed))
	if left <= 0 && s.progress != nil {
		left = s.timeout/progressShare - time.Since(s.progress())
		s.progressed = s.progressed || left > 0
	}
	left = min(left, maxStretch*s.timeout-elapsed)
	switch {
	case s.ended:
	case left <= 0:
		s.cancel(&Error{elapsed, usage, s.timeout, s.progressed})
	default:
		s.timer = time.AfterFunc(max(left, time.Millisecond), s.check)
	}
}

func (s *stretched) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
	s.timer.Stop()
	s.cancel(nil)
}
