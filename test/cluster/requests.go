package cluster

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"

	utilnet "k8s.io/apimachinery/pkg/util/net"

	"github.com/cosi-emu/cosi-emu/test/harness"
)

// Requests records the requests of a component, and can make them fail. Its
// zero value is ready; Wrap puts it into a rest.Config.
type Requests struct {
	// KeepBodies keeps the bodies of requests that write.
	KeepBodies bool

	mu        sync.Mutex
	all       []*Request
	bases     []http.RoundTripper
	intercept Intercept
	frozen    map[string]chan struct{} // by resource, closed to thaw
}

// Request is a request and the status of its answer.
type Request struct {
	Method, Path string
	Status       int
	// Body is the body of a request that writes, if Requests.KeepBodies is set.
	Body []byte
}

func (r Request) String() string { return fmt.Sprintf("%s %s %d", r.Method, r.Path, r.Status) }

// Intercept decides about a request before it reaches the API server. With a
// response or an error it answers the request; with neither the request goes on.
type Intercept func(*http.Request) (*http.Response, error)

// Wrap returns a transport that passes requests through the recorder.
func (r *Requests) Wrap(base http.RoundTripper) http.RoundTripper {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.bases = append(r.bases, base)
	return transport{requests: r, base: base}
}

// Intercept sets the function that decides about each request from now on; nil
// lets all of them pass.
func (r *Requests) Intercept(f Intercept) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.intercept = f
}

// Reject answers the requests of a method to paths with the suffix with an
// internal error. It replaces what Intercept has set.
func (r *Requests) Reject(method, suffix string) {
	r.Intercept(func(request *http.Request) (*http.Response, error) {
		if request.Method != method || !strings.HasSuffix(request.URL.Path, suffix) {
			return nil, nil
		}
		const code = http.StatusInternalServerError
		return &http.Response{StatusCode: code, Status: http.StatusText(code), Header: http.Header{}, Body: http.NoBody}, nil
	})
}

// Hang answers no request any more. It replaces what Intercept has set.
func (r *Requests) Hang() {
	r.Intercept(func(request *http.Request) (*http.Response, error) {
		<-request.Context().Done()
		return nil, request.Context().Err()
	})
}

// Reset forgets all requests so far.
func (r *Requests) Reset() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = nil
}

// All returns the requests that were answered so far, in the order in which they
// were sent.
func (r *Requests) All() []Request {
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []Request
	for _, request := range r.all {
		if request.Status != 0 {
			all = append(all, *request)
		}
	}
	return all
}

// Writes returns the requests of All that write anything other than Events.
func (r *Requests) Writes() []Request {
	return slices.DeleteFunc(r.All(), func(request Request) bool {
		return request.Method == http.MethodGet || strings.Contains(request.Path, "/events")
	})
}

// standbyReads is how often a standby reads the Lease before ExpectStandby is
// convinced that it does not take it.
const standbyReads = 3

// ExpectStandby expects that the component takes part in the election for the Lease
// whose path has the suffix, and does not become the leader: it reads the Lease
// several times, and never writes it.
func (r *Requests) ExpectStandby(tb testing.TB, lease string) {
	tb.Helper()
	isLease := func(request Request) bool { return strings.HasSuffix(request.Path, lease) }
	harness.Eventually(tb, "the standby reads the Lease", func(context.Context) error {
		reads := 0
		for _, request := range r.All() {
			if request.Method == http.MethodGet && isLease(request) {
				reads++
			}
		}
		if reads < standbyReads {
			return fmt.Errorf("it has read it %d times, want %d", reads, standbyReads)
		}
		return nil
	})
	for _, request := range r.Writes() {
		if isLease(request) {
			tb.Errorf("the standby writes the Lease: %s", request)
		}
	}
}

// CloseIdle closes the connections that no request uses.
func (r *Requests) CloseIdle() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, base := range r.bases {
		utilnet.CloseIdleConnectionsFor(base)
	}
}

func (r *Requests) begin(request *http.Request) (*Request, Intercept) {
	r.mu.Lock()
	defer r.mu.Unlock()
	recorded := &Request{Method: request.Method, Path: request.URL.Path}
	if r.KeepBodies {
		recorded.Body = BodyOf(request)
	}
	r.all = append(r.all, recorded)
	return recorded, r.intercept
}

// BodyOf returns the body of a request, which is still sent. Clients of Kubernetes send bodies that
// can be read again.
func BodyOf(request *http.Request) []byte {
	if request.GetBody == nil {
		return nil
	}
	body, err := request.GetBody()
	if err != nil {
		return nil
	}
	data, err := io.ReadAll(body)
	if err != nil {
		return nil
	}
	return data
}

func (r *Requests) end(recorded *Request, status int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	recorded.Status = status
}

type transport struct {
	requests *Requests
	base     http.RoundTripper
}

// WrappedRoundTripper leads client-go to the connections, to close them.
func (t transport) WrappedRoundTripper() http.RoundTripper { return t.base }

func (t transport) RoundTrip(request *http.Request) (*http.Response, error) {
	recorded, intercept := t.requests.begin(request)
	if intercept != nil {
		if response, err := intercept(request); response != nil || err != nil {
			if response != nil {
				t.requests.end(recorded, response.StatusCode)
			}
			return response, err
		}
	}
	response, err := t.base.RoundTrip(request)
	if err == nil {
		t.requests.end(recorded, response.StatusCode)
		if request.URL.Query().Get("watch") != "" {
			response.Body = &watch{
				ReadCloser: response.Body, requests: t.requests, resource: path.Base(request.URL.Path), done: request.Context().Done(),
			}
		}
	}
	return response, err
}
