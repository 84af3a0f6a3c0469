package scale

import (
	"context"
	"io"
	"net/http"
	"path"
	"sync"

	"google.golang.org/grpc"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apiserver/pkg/endpoints/request"
)

// meter counts what components ask of the API server and of the driver. While it
// keeps, it also holds on to the writes, so that they can be repeated.
type meter struct {
	mu    sync.Mutex
	tally tally
	keeps bool
	kept  []*write
}

// write is one write that a component has made.
type write struct {
	user                string
	verb, resource, sub string
	namespace, name     string // name is empty in a creation
	contentType         string
	body                []byte
	done                bool // the API server has done it
}

func newMeter() *meter { return &meter{tally: newTally()} }

// read returns all that has been counted so far.
func (m *meter) read() tally {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.tally.clone()
}

// keep begins to hold on to writes.
func (m *meter) keep() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.keeps, m.kept = true, nil
}

// take ends that and returns the writes, in the order in which they began.
func (m *meter) take() []*write {
	m.mu.Lock()
	defer m.mu.Unlock()
	kept := m.kept
	m.keeps, m.kept = false, nil
	return kept
}

// tap makes the requests of a component count.
func (m *meter) tap(user string) func(http.RoundTripper) http.RoundTripper {
	return func(next http.RoundTripper) http.RoundTripper { return &tap{meter: m, user: user, next: next} }
}

type tap struct {
	meter *meter
	user  string
	next  http.RoundTripper
}

// WrappedRoundTripper lets client-go find the transport below.
func (t *tap) WrappedRoundTripper() http.RoundTripper { return t.next }

var requestInfos = request.RequestInfoFactory{
	APIPrefixes:          sets.NewString("api", "apis"),
	GrouplessAPIPrefixes: sets.NewString("api"),
}

func (t *tap) RoundTrip(req *http.Request) (*http.Response, error) {
	info, err := requestInfos.NewRequestInfo(req)
	if err != nil {
		return nil, err
	}
	kept := t.meter.begin(t.user, info, req)
	resp, err := t.next.RoundTrip(req)
	if err == nil {
		t.meter.end(kept, resp.StatusCode)
	}
	return resp, err
}

// begin counts a request, and returns the write that is kept of it, if any.
func (m *meter) begin(user string, info *request.RequestInfo, req *http.Request) *write {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.tally.requests[operation(info.Verb, info.Resource, info.Subresource)]++
	if !m.keeps || !isWrite(info.Verb) || req.GetBody == nil {
		return nil
	}
	body, err := req.GetBody()
	if err != nil {
		return nil
	}
	w := &write{
		user: user, verb: info.Verb, resource: info.Resource, sub: info.Subresource,
		namespace: info.Namespace, name: info.Name, contentType: req.Header.Get("Content-Type"),
	}
	if w.body, err = io.ReadAll(body); err != nil {
		return nil
	}
	m.kept = append(m.kept, w)
	return w
}

func (m *meter) end(w *write, status int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if status == http.StatusConflict {
		m.tally.conflicts++
	}
	if w != nil {
		w.done = status < http.StatusBadRequest
	}
}

// call counts a call to the driver.
func (m *meter) call(
	ctx context.Context, method string, req, reply any, conn *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption,
) error {
	m.mu.Lock()
	m.tally.calls[path.Base(method)]++
	m.mu.Unlock()
	return invoke(ctx, method, req, reply, conn, opts...)
}
