package conformance_test

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cosi-emu/cosi-emu/conformance"
)

// TestSlowDriver: a driver that does not answer within the default limits gets more time, and the report has the
// limits. It waits for the default limit once.
func TestSlowDriver(t *testing.T) {
	t.Parallel()
	const needs = conformance.DefaultCallTimeout * 3 / 2
	slow := always(func(ctx context.Context, r any, next call) (any, error) {
		if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) < needs {
			if _, creates := r.(*create); creates {
				<-ctx.Done()
				return nil, ctx.Err()
			}
		}
		return next(r)
	})
	config := serve(t, setup{behaviour: slow}).config()
	config.CallTimeout, config.Timeout, config.Restart, config.Profiles = 0, 0, nil, []string{"Core"}
	config.Only = []string{"ID-01", "CB-01", "CB-02", "DB-01"}
	report, err := conformance.Execute(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	for _, result := range report.Results {
		if result.State != conformance.Pass {
			t.Errorf("%s: %s", result.Check.ID, result.Explain())
		}
	}
	const want = "The driver is slow: DriverCreateBucket did not answer within 10s."
	var text strings.Builder
	if err := report.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{want, "a call has 40s, and a check 2m0s"} {
		if !strings.Contains(text.String(), part) {
			t.Errorf("the text lacks %q:\n%s", part, text.String())
		}
	}
}

// TestUnanswered: a method that never answers is called a few times only, so that the other checks come
// soon. TestIntercept has the other cases.
func TestUnanswered(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32
	hangs := always(func(ctx context.Context, r any, next call) (any, error) {
		if _, grants := r.(*grant); grants {
			calls.Add(1)
			<-ctx.Done()
			return nil, ctx.Err()
		}
		return next(r)
	})
	config := serve(t, setup{behaviour: hangs}).config()
	config.CallTimeout, config.Timeout, config.Restart = 5*time.Second, time.Minute, nil // other calls of a starved driver answer within it
	config.Only = []string{"ID-01", "CB-01", "GR-01", "GR-02", "GR-03", "GR-05", "GR-06"}
	report, err := conformance.Execute(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	if got := calls.Load(); got != 3 {
		t.Errorf("DriverGrantBucketAccess was called %d times, want 3", got)
	}
	const explanation = "DriverGrantBucketAccess has not answered 3 calls within 5s, and is not called again; --call-timeout sets the limit"
	if !slices.ContainsFunc(report.Results, func(r conformance.Result) bool { return strings.Contains(r.Explain(), explanation) }) {
		t.Errorf("no result has %q", explanation)
	}
}
