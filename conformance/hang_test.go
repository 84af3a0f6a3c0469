package conformance_test

import (
	"context"
	"testing"
	"time"

	"github.com/cosi-emu/cosi-emu/conformance"
)

// TestHangingDriver: each check of a driver that hangs ends by its deadline, and the report
// says what was not reached.
func TestHangingDriver(t *testing.T) {
	for name, hangs := range map[string]func(any) bool{
		"in Grant": func(r any) bool { _, ok := r.(*grant); return ok },
		"always":   func(any) bool { return true },
	} {
		t.Run(name, func(t *testing.T) {
			wrong := always(func(ctx context.Context, r any, next call) (any, error) {
				if hangs(r) {
					<-ctx.Done()
					return nil, ctx.Err()
				}
				return next(r)
			})
			config := serve(t, setup{behaviour: wrong}).config()
			config.CallTimeout, config.Timeout, config.Restart = 50*time.Millisecond, 200*time.Millisecond, nil
			report, err := conformance.Execute(t.Context(), config)
			if err != nil {
				t.Fatal(err)
			}
			if report.OK() {
				t.Error("OK() = true for a driver that hangs")
			}
			if got, want := len(report.Results), checksOf(t); got != want {
				t.Errorf("%d results, want one for each of %d checks", got, want)
			}
			for _, result := range report.Results {
				if result.Took > 5*time.Second {
					t.Errorf("%s took %s", result.Check.ID, result.Took)
				}
			}
		})
	}
}

// checksOf is the number of checks that a run has by default.
func checksOf(t *testing.T) int {
	t.Helper()
	n := 0
	for _, c := range conformance.Checks() {
		if c.Profile != "End-to-End" {
			n++
		}
	}
	return n
}

// TestNoDriver: nothing listens at the endpoint.
func TestNoDriver(t *testing.T) {
	report, err := conformance.Execute(t.Context(), conformance.Config{
		Endpoint: "unix://" + t.TempDir() + "/no.sock", CallTimeout: 50 * time.Millisecond,
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, result := range report.Results {
		if result.State != conformance.NotReached {
			t.Errorf("%s: %s, want %s", result.Check.ID, result.State, conformance.NotReached)
		}
	}
}
