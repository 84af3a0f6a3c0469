package sidecar_test

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/cosi-emu/cosi-emu/internal/emulator/controlplane"
	"github.com/cosi-emu/cosi-emu/internal/emulator/controlplane/controlplanetest"
)

var sharedControlPlane *controlplane.ControlPlane

func startControlPlane(t *testing.T) {
	t.Helper()
	sharedControlPlane = controlplanetest.Start(t)
}

// traffic is what a sidecar sends to the API server. It can be made to fail.
type traffic struct {
	mu      sync.Mutex
	writes  []string
	refuses func(*http.Request) bool
	hangs   bool
}

// roundTripper passes requests through the traffic.
type roundTripper struct {
	traffic *traffic
	next    http.RoundTripper
}

// WrappedRoundTripper lets client-go find the connections, to close them.
func (r roundTripper) WrappedRoundTripper() http.RoundTripper { return r.next }

func (r roundTripper) RoundTrip(request *http.Request) (*http.Response, error) {
	f := r.traffic
	f.mu.Lock()
	if request.Method != http.MethodGet && !strings.HasSuffix(request.URL.Path, "/events") {
		f.writes = append(f.writes, request.Method+" "+request.URL.Path)
	}
	refused, hangs := f.refuses != nil && f.refuses(request), f.hangs
	f.mu.Unlock()
	if hangs {
		<-request.Context().Done()
		return nil, request.Context().Err()
	}
	if refused {
		return refusal(), nil
	}
	return r.next.RoundTrip(request)
}

// Writes are the requests that write, Events aside, as method and path.
func (f *traffic) Writes() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.writes)
}

// Forget begins to count anew.
func (f *traffic) Forget() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.writes = nil
}

// Refuse has requests of a method to paths that end so answered with an internal
// error, without their reaching the API server.
func (f *traffic) Refuse(method, suffix string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.refuses = func(r *http.Request) bool { return r.Method == method && strings.HasSuffix(r.URL.Path, suffix) }
}

// Hang has no further request answered.
func (f *traffic) Hang() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.hangs = true
}

// Allow ends Refuse.
func (f *traffic) Allow() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.refuses = nil
}

// refusal is an answer without a body.
func refusal() *http.Response {
	const code = http.StatusInternalServerError
	return &http.Response{StatusCode: code, Status: http.StatusText(code), Header: http.Header{}, Body: http.NoBody}
}
