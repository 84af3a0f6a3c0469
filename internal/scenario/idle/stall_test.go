package idle

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// machine is a simulated machine with its own clock for a stall detector.
type machine struct {
	trips      func(time.Duration) time.Duration // duration of a round trip, at a time
	lastNoise  func(time.Duration) time.Duration // time of the last activity, at a time
	idleFrom   time.Duration
	restFrom   time.Duration // when the components become idle for others
	leftFrom   time.Duration
	unreadable bool // the API server cannot be reached

	started time.Time
	looks   int
}

func (m *machine) now() time.Duration { return time.Since(m.started) }

func (m *machine) detector() *Stall {
	m.started = time.Now()
	return &Stall{
		WaitQuiet: func(ctx context.Context, quiet time.Duration) bool {
			for {
				left := quiet - (m.now() - m.lastNoise(m.now()))
				if left <= 0 {
					return true // even if the context has ended
				}
				Pause(ctx, left)
				if ctx.Err() != nil {
					return false
				}
			}
		},
		Idle:   func() bool { return m.now() >= m.idleFrom },
		Rested: func() time.Duration { return m.now() - max(m.restFrom, m.lastNoise(m.now())) },
		MayStay: func(context.Context) (time.Duration, bool) {
			m.looks++
			if m.looks > 1000 {
				panic("it looks again and again")
			}
			return ProtectedQuiet, m.now() >= m.leftFrom
		},
		Probe: func(ctx context.Context) error {
			if m.unreadable {
				return errors.New("connection refused")
			}
			Pause(ctx, m.trips(m.now()))
			return ctx.Err()
		},
	}
}

func always(d time.Duration) func(time.Duration) time.Duration {
	return func(time.Duration) time.Duration { return d }
}

// TestStall runs the detector for at most a minute, on machines that are fast, slow, or
// both in turn.
func TestStall(t *testing.T) {
	const ms, s = time.Millisecond, time.Second
	type outcome struct {
		Over  bool
		After time.Duration // at least, and less than a second more
	}
	tests := map[string]struct {
		reason  string
		machine machine
		want    outcome
	}{
		"Fast": {
			reason:  "No component has been active for long.",
			machine: machine{trips: always(10 * ms), lastNoise: always(0)},
			want:    outcome{true, 2 * s},
		},
		"Slow": {
			reason:  "A component may need as long as some round trips.",
			machine: machine{trips: always(500 * ms), lastNoise: always(0)},
			want:    outcome{true, 20 * s},
		},
		"SlowerMeanwhile": {
			reason: "What was measured before the machine became busy does not hold.",
			machine: machine{lastNoise: always(0), trips: func(now time.Duration) time.Duration {
				if now < s {
					return 10 * ms
				}
				return 300 * ms
			}},
			want: outcome{true, 12 * s},
		},
		"FasterMeanwhile": {
			reason: "Nor does what is measured after it.",
			machine: machine{lastNoise: always(0), trips: func(now time.Duration) time.Duration {
				if now < s {
					return 300 * ms
				}
				return 10 * ms
			}},
			want: outcome{true, 12 * s},
		},
		"SilentBefore": {
			reason:  "The components may not have heard yet of what they are to do.",
			machine: machine{trips: always(10 * ms), lastNoise: always(-time.Hour)},
			want:    outcome{true, 2 * s},
		},
		"Noise": {
			reason: "A component became active again.",
			machine: machine{trips: always(10 * ms), lastNoise: func(now time.Duration) time.Duration {
				if now < 1500*ms {
					return 0
				}
				return 1500 * ms
			}},
			want: outcome{true, 3500 * ms},
		},
		"Busy": {
			reason:  "A component is active.",
			machine: machine{trips: always(10 * ms), lastNoise: always(0), idleFrom: 10 * s},
			want:    outcome{true, 10 * s},
		},
		"Backlog": {
			reason:  "The components work for others, and have not come to the object yet.",
			machine: machine{trips: always(10 * ms), lastNoise: always(0), restFrom: 10 * s},
			want:    outcome{true, 10*s + LongQuiet},
		},
		"Retried": {
			reason:  "COSI says that it will try again.",
			machine: machine{trips: always(10 * ms), lastNoise: always(0), leftFrom: 15 * s},
			want:    outcome{true, 15 * s},
		},
		"Unreachable": {
			reason:  "There is no yardstick.",
			machine: machine{unreadable: true, lastNoise: always(0)},
			want:    outcome{false, time.Minute},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				m := tc.machine
				over := m.detector().Wait(ctx)
				if took := m.now(); over != tc.want.Over || took < tc.want.After || took > tc.want.After+3*s {
					t.Errorf("%s\nover %t after %s, want %+v", tc.reason, over, took, tc.want)
				}
			})
		})
	}
}

// TestStallEnds cancels the context in each part of a wait. The detector must end at once, without
// further polling.
func TestStallEnds(t *testing.T) {
	tests := map[string]struct {
		machine machine
		limit   time.Duration
	}{
		"Before":         {machine{trips: always(0), lastNoise: always(0)}, 0},
		"WhileItRests":   {machine{trips: always(0), lastNoise: always(0)}, 300 * time.Millisecond},
		"InTheRoundTrip": {machine{trips: always(time.Hour), lastNoise: always(0)}, 30 * time.Second},
		"InTheSilence":   {machine{trips: always(0), lastNoise: always(0)}, 1500 * time.Millisecond},
		"NotAbandoned":   {machine{trips: always(0), lastNoise: always(-time.Hour), leftFrom: time.Hour}, 30 * time.Second},
		"NotIdle":        {machine{trips: always(0), lastNoise: always(-time.Hour), idleFrom: time.Hour}, 30 * time.Second},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), tc.limit)
				defer cancel()
				m := tc.machine
				if m.detector().Wait(ctx) {
					t.Error("it is over, although the context has ended before")
				}
				if diff := cmp.Diff(tc.limit, m.now()); diff != "" {
					t.Errorf("end of the wait (-want +got):\n%s", diff)
				}
				if most := int(tc.limit/LongQuiet) + 1; m.looks > most {
					t.Errorf("it has looked %d times, want %d at most", m.looks, most)
				}
			})
		})
	}
}
