package controller_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"

	utilnet "k8s.io/apimachinery/pkg/util/net"
)

// traffic is everything that the controller asks of the API server.
type traffic struct {
	mu    sync.Mutex
	calls []call
	base  []http.RoundTripper
	fault func(*http.Request) error
}

// call is one request and how it ended.
type call struct {
	verb, path string
	status     int
}

func (c call) String() string { return fmt.Sprintf("%s %s %d", c.verb, c.path, c.status) }

func (c call) isWrite() bool { return c.verb != http.MethodGet }

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func (t *traffic) wrap(base http.RoundTripper) http.RoundTripper {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.base = append(t.base, base)
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		if err := t.faultFor(r); err != nil {
			return nil, err
		}
		response, err := base.RoundTrip(r)
		if err == nil {
			t.record(call{verb: r.Method, path: r.URL.Path, status: response.StatusCode})
		}
		return response, err
	})
}

func (t *traffic) record(c call) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.calls = append(t.calls, c)
}

func (t *traffic) faultFor(r *http.Request) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.fault == nil {
		return nil
	}
	return t.fault(r)
}

// breakWith makes requests fail for which fault returns an error, before they
// reach the API server. Nil mends it.
func (t *traffic) breakWith(fault func(*http.Request) error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.fault = fault
}

func (t *traffic) closeIdle() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, base := range t.base {
		utilnet.CloseIdleConnectionsFor(base)
	}
}

// writes are the writing calls so far, the Events aside.
func (t *traffic) writes() []call {
	t.mu.Lock()
	defer t.mu.Unlock()
	var found []call
	for _, c := range t.calls {
		if c.isWrite() && !strings.Contains(c.path, "/events") {
			found = append(found, c)
		}
	}
	return found
}

// count is how many calls so far were answered with that status.
func (t *traffic) count(status int) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := 0
	for _, c := range t.calls {
		if c.status == status {
			n++
		}
	}
	return n
}

// all are all calls so far.
func (t *traffic) all() []call {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.calls)
}
