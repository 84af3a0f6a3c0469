package bridge

import (
	"context"
	"slices"
	"sync"

	"google.golang.org/grpc/status"
)

// turns lets calls for one bucket wait for each other.
type turns struct {
	mu *sync.Mutex
	// taken has a channel for each bucket with a call in flight; the next call waits for it.
	taken map[string]chan struct{}
}

func newTurns() turns { return turns{mu: &sync.Mutex{}, taken: map[string]chan struct{}{}} }

// take waits until no other call for one of the buckets is in flight. The caller ends its own
// by calling done.
func (t turns) take(ctx context.Context, buckets ...string) (done func(), err error) {
	var taken []func()
	done = func() {
		for _, leave := range taken {
			leave()
		}
	}
	for _, bucket := range slices.Compact(slices.Sorted(slices.Values(buckets))) { // in order, so that no two calls wait for each other
		leave, err := t.takeOne(ctx, bucket)
		if err != nil {
			done()
			return nil, err
		}
		taken = append(taken, leave)
	}
	return done, nil
}

func (t turns) takeOne(ctx context.Context, bucket string) (done func(), err error) {
	for {
		t.mu.Lock()
		ended, busy := t.taken[bucket]
		if !busy {
			mine := make(chan struct{})
			t.taken[bucket] = mine
			t.mu.Unlock()
			return func() {
				t.mu.Lock()
				defer t.mu.Unlock()
				delete(t.taken, bucket)
				close(mine)
			}, nil
		}
		t.mu.Unlock()
		select {
		case <-ended:
		case <-ctx.Done():
			return nil, status.FromContextError(ctx.Err()).Err()
		}
	}
}
