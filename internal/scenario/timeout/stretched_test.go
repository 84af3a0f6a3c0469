package timeout

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/scenario/starvation"
)

// TestStretched verifies that a timeout counts the time in which threads could run.
func TestStretched(t *testing.T) {
	const s = time.Second
	tests := map[string]struct {
		reason  string
		usage   func(elapsed time.Duration) starvation.Usage
		until   time.Duration // components make progress until then, or 0
		want    time.Duration
		message string
	}{
		"Unknown": {
			reason: "The system has no figures.",
			usage:  func(time.Duration) starvation.Usage { return starvation.Usage{} },
			want:   10 * s, message: "condition not met after 10s",
		},
		"Idle": {
			reason: "No thread waited.",
			usage:  func(elapsed time.Duration) starvation.Usage { return starvation.Usage{Ran: elapsed / 2} },
			want:   10 * s, message: "condition not met after 10s",
		},
		"Busy": {
			reason: "Threads ran half of the time.",
			usage:  func(elapsed time.Duration) starvation.Usage { return starvation.Usage{Ran: elapsed, Waited: elapsed} },
			want:   20 * s, message: "condition not met after 10s, which the starved machine stretched to 20s",
		},
		"AlmostIdle": {
			reason: "Threads that had little to do lost little by waiting long for it.",
			usage: func(elapsed time.Duration) starvation.Usage {
				return starvation.Usage{Ran: elapsed / 100, Waited: elapsed / 20}
			},
			want: 11 * s, message: "condition not met after 10s",
		},
		"Starved": {
			reason: "There is a limit.",
			usage: func(elapsed time.Duration) starvation.Usage {
				return starvation.Usage{Ran: elapsed, Waited: 99 * elapsed}
			},
			want: 60 * s, message: "condition not met after 10s, which the starved machine stretched to 1m0s",
		},
		"Progress": {
			reason: "A component is at work for some time longer.",
			usage:  func(time.Duration) starvation.Usage { return starvation.Usage{} },
			until:  17 * s, want: 19500 * time.Millisecond,
			message: "condition not met after 10s, which the progress of components stretched to 19.5s",
		},
		"ProgressBefore": {
			reason: "The component has stopped long before the timeout.",
			usage:  func(time.Duration) starvation.Usage { return starvation.Usage{} },
			until:  7 * s, want: 10 * s, message: "condition not met after 10s",
		},
		"ProgressWithoutEnd": {
			reason: "There is a limit.",
			usage:  func(time.Duration) starvation.Usage { return starvation.Usage{} },
			until:  time.Hour, want: 60 * s,
			message: "condition not met after 10s, which the progress of components stretched to 1m0s",
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				started := time.Now()
				ctx, cancel := context.WithCancelCause(t.Context())
				waiting := &stretched{
					timeout: 10 * s, started: started, cancel: cancel,
					read: func() starvation.Usage { return tc.usage(time.Since(started)) },
				}
				if tc.until != 0 {
					waiting.progress = func() time.Time {
						if time.Since(started) < tc.until {
							return time.Now()
						}
						return started.Add(tc.until)
					}
				}
				waiting.mu.Lock()
				waiting.timer = time.AfterFunc(s, waiting.begin)
				waiting.mu.Unlock()
				<-ctx.Done()
				if took := time.Since(started).Round(s / 10); took != tc.want {
					t.Errorf("%s\nit ended after %s, want %s", tc.reason, took, tc.want)
				}
				if cause, ok := errors.AsType[*Error](context.Cause(ctx)); !ok || cause.Error() != tc.message {
					t.Errorf("%s\ncause %v, want %s", tc.reason, context.Cause(ctx), tc.message)
				}
				waiting.stop()
			})
		})
	}
}

// TestStretchedStop stops a context that ends without a timeout.
func TestStretchedStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		within, stop := (&Stretcher{}).With(t.Context(), time.Second)
		stop()
		<-time.After(time.Minute) // of the test's clock
		if cause := context.Cause(within); !errors.Is(cause, context.Canceled) {
			t.Errorf("cause %v, want %v", cause, context.Canceled)
		}
	})
}
