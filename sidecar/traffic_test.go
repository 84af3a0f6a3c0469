package sidecar_test

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/cosi-emu/cosi-emu/emulator/controlplane"
	"github.com/cosi-emu/cosi-emu/emulator/controlplane/controlplanetest"
)

var sharedControlPlane *controlplane.ControlPlane

func startControlPlane(t *testing.T) {
	t.Helper()
	sharedControlPlane = controlplanetest.Start(t)
}

// traffic is what a sidecar sends to the API server. It can be made to fail.
type traffic struct {
	mu     sync.Mutex
	writes []string
	fault  func(*http.Request) *http.Response
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
	fault := f.fault
	f.mu.Unlock()
	if fault != nil {
		if response := fault(request); response != nil {
			return response, nil
		}
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

// Fault has requests answered by a function, where it answers.
func (f *traffic) Fault(fault func(*http.Request) *http.Response) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.fault = fault
}

// refusal is an answer without a body.
func refusal(code int) *http.Response {
	return &http.Response{StatusCode: code, Status: http.StatusText(code), Header: http.Header{}, Body: http.NoBody}
}
