package bridge

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// TestTurns: a call waits for the one in flight for its bucket, and for no other.
// Spec: A1-CALLS-2
func TestTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns := newTurns()
		take := func(bucket string, within time.Duration) (func(), error) {
			ctx, cancel := context.WithTimeout(t.Context(), within)
			defer cancel()
			return turns.take(ctx, bucket)
		}
		first, err := take("a", time.Second)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := take("a", time.Second); err == nil {
			t.Error("two calls for one bucket")
		}
		other, err := take("b", time.Second)
		if err != nil {
			t.Fatal(err)
		}
		other()
		time.AfterFunc(time.Second, first)
		second, err := take("a", time.Minute)
		if err != nil {
			t.Fatalf("after the first has ended: %v", err)
		}
		second()
		if len(turns.taken) > 0 {
			t.Errorf("turns are left: %v", turns.taken)
		}
	})
}
