package cluster

import (
	"io"
	"sync"
)

// Freeze holds back what watches of a resource, such as "buckets", tell the
// component, until the function that it returns is called.
func (r *Requests) Freeze(resource string) (thaw func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.frozen == nil {
		r.frozen = map[string]chan struct{}{}
	}
	frozen := make(chan struct{})
	r.frozen[resource] = frozen
	return sync.OnceFunc(func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.frozen, resource)
		close(frozen)
	})
}

func (r *Requests) untilThawed(resource string) <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.frozen[resource]
}

// watch is the body of a watch's response. What arrives while the resource is
// frozen is read later.
type watch struct {
	io.ReadCloser

	requests *Requests
	resource string
	done     <-chan struct{} // closed with the request
}

func (w *watch) Read(into []byte) (int, error) {
	n, err := w.ReadCloser.Read(into)
	if thawed := w.requests.untilThawed(w.resource); thawed != nil {
		select {
		case <-thawed:
		case <-w.done:
		}
	}
	return n, err
}
