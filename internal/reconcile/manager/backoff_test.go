package manager

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// TestRateLimiter: the delay of an object doubles with each failure up to the longest one, and starts again after a success.
// Design: CK-ATTACH-10
func TestRateLimiter(t *testing.T) {
	limiter := Settings{RetryBaseDelay: time.Second, RetryMaxDelay: 5 * time.Second}.RateLimiter()
	object := reconcile.Request{}
	object.Name = "photos"
	var got []time.Duration
	for range 5 {
		got = append(got, limiter.When(object))
	}
	limiter.Forget(object)
	got = append(got, limiter.When(object))
	want := []time.Duration{time.Second, 2 * time.Second, 4 * time.Second, 5 * time.Second, 5 * time.Second, time.Second}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("delays (-want +got):\n%s", diff)
	}
}
