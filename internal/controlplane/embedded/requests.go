package embedded

import (
	"context"
	"fmt"
	"net/http"
	"sync"

	"github.com/cosi-emu/cosi-emu/internal/controlplane/embedded/apiserver"
)

// requests counts the requests that are served.
type requests struct {
	mu      sync.Mutex
	short   int
	streams int           // watches, logs, and the connections to Pods
	waiting chan struct{} // closed at each end of a request, if any caller waits
}

func (r *requests) count(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		counter := &r.short
		if apiserver.IsStream(request) {
			counter = &r.streams
		}
		r.add(counter, 1)
		defer r.add(counter, -1)
		handler.ServeHTTP(w, request)
	})
}

func (r *requests) add(counter *int, n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	*counter += n
	if r.waiting != nil {
		close(r.waiting)
		r.waiting = nil
	}
}

// wait waits until there are no requests, with or without streams.
func (r *requests) wait(ctx context.Context, streams bool) error {
	for {
		r.mu.Lock()
		if r.short == 0 && (!streams || r.streams == 0) {
			r.mu.Unlock()
			return nil
		}
		if r.waiting == nil {
			r.waiting = make(chan struct{})
		}
		changed, left := r.waiting, r.short+r.streams
		r.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("wait for %d requests: %w", left, context.Cause(ctx))
		}
	}
}
