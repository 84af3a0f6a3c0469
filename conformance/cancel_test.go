package conformance_test

import (
	"context"
	"sync"
	"testing"

	"github.com/cosi-emu/cosi-emu/conformance"
)

// TestCancelled: a check during which the run is cancelled is not reached, and not failed.
func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var first sync.Once
	wrong := always(func(callCtx context.Context, r any, next call) (any, error) {
		if isA[*create](r) {
			first.Do(func() { cancel(); <-callCtx.Done() })
		}
		return next(r)
	})
	config := serve(t, setup{behaviour: wrong}).config()
	config.Only = []string{"ID-01", "CB-01", "CB-02"}
	report, err := conformance.Execute(ctx, config)
	if err != nil {
		t.Fatal(err)
	}
	for _, result := range report.Results {
		want, reason := conformance.NotReached, "the run was cancelled"
		if result.Check.ID == "ID-01" {
			want, reason = conformance.Pass, ""
		}
		if result.State != want || result.Reason != reason || result.Failure != nil {
			t.Errorf("want %s (%s): %s", want, reason, result.Explain())
		}
	}
}
