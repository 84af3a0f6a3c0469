package scale

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"

	"google.golang.org/grpc"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apiserver/pkg/endpoints/request"

	"github.com/cosi-emu/cosi-emu/test/bench/figure"
)

// requestCounter counts what components ask of the API server and of the driver. While it
// keeps, it also holds on to the writes, so that they can be repeated.
type requestCounter struct {
	mu     sync.Mutex
	counts requestCounts
	keeps  bool
	kept   []*write
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

func newRequestCounter() *requestCounter { return &requestCounter{counts: newRequestCounts()} }

// read returns all that has been counted so far.
func (m *requestCounter) read() requestCounts {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.counts.clone()
}

// keep begins to hold on to writes.
func (m *requestCounter) keep() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.keeps, m.kept = true, nil
}

// take ends that and returns the writes, in the order in which they began.
func (m *requestCounter) take() []*write {
	m.mu.Lock()
	defer m.mu.Unlock()
	kept := m.kept
	m.keeps, m.kept = false, nil
	return kept
}

// tap makes the requests of a component count.
func (m *requestCounter) tap(user string) func(http.RoundTripper) http.RoundTripper {
	return func(next http.RoundTripper) http.RoundTripper { return &tap{counter: m, user: user, next: next} }
}

type tap struct {
	counter *requestCounter
	user    string
	next    http.RoundTripper
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
	kept := t.counter.begin(t.user, info, req)
	resp, err := t.next.RoundTrip(req)
	if err == nil {
		t.counter.end(kept, resp.StatusCode)
	}
	return resp, err
}

// begin counts a request, and returns the write that is kept of it, if any.
func (m *requestCounter) begin(user string, info *request.RequestInfo, req *http.Request) *write {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.counts.requests[operation(info.Verb, info.Resource, info.Subresource)]++
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

func (m *requestCounter) end(w *write, status int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if status == http.StatusConflict {
		m.counts.conflicts++
	}
	if w != nil {
		w.done = status < http.StatusBadRequest
	}
}

// call counts a call to the driver.
func (m *requestCounter) call(
	ctx context.Context, method string, req, reply any, conn *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption,
) error {
	m.mu.Lock()
	m.counts.calls[path.Base(method)]++
	m.mu.Unlock()
	return invoke(ctx, method, req, reply, conn, opts...)
}

// requestCounts are the counts of a requestCounter.
type requestCounts struct {
	requests  map[string]int // by operation
	calls     map[string]int // to the driver, by method
	conflicts int
}

func newRequestCounts() requestCounts {
	return requestCounts{requests: map[string]int{}, calls: map[string]int{}}
}

// operation names a request, such as "patch buckets/status".
func operation(verb, resource, sub string) string {
	if sub != "" {
		resource += "/" + sub
	}
	return verb + " " + resource
}

func isWrite(verb string) bool {
	return slices.Contains([]string{"create", "update", "patch", "delete", "deletecollection"}, verb)
}

// isEvent reports whether an operation writes an Event. Events are for people,
// and are counted by themselves.
func isEvent(operation string) bool { return strings.HasSuffix(operation, " events") }

func (t requestCounts) clone() requestCounts {
	return requestCounts{requests: maps.Clone(t.requests), calls: maps.Clone(t.calls), conflicts: t.conflicts}
}

// since returns the increase over earlier counts.
func (t requestCounts) since(before requestCounts) requestCounts {
	return requestCounts{
		requests: subtract(t.requests, before.requests), calls: subtract(t.calls, before.calls), conflicts: t.conflicts - before.conflicts,
	}
}

func subtract(counts, before map[string]int) map[string]int {
	difference := map[string]int{}
	for name, count := range counts {
		if count -= before[name]; count != 0 {
			difference[name] = count
		}
	}
	return difference
}

// plus returns the sum of two tallies.
func (t requestCounts) plus(other requestCounts) requestCounts {
	sum := t.clone()
	for name, count := range other.requests {
		sum.requests[name] += count
	}
	for name, count := range other.calls {
		sum.calls[name] += count
	}
	sum.conflicts += other.conflicts
	return sum
}

// writes, events and reads are the parts of the requests. A watch is neither: it
// is made once for all objects.
func (t requestCounts) writes() map[string]int {
	return pick(t.requests, func(o string) bool { return isWrite(verbOf(o)) && !isEvent(o) })
}

func (t requestCounts) events() map[string]int {
	return pick(t.requests, func(o string) bool { return isWrite(verbOf(o)) && isEvent(o) })
}

func (t requestCounts) reads() map[string]int {
	return pick(t.requests, func(o string) bool { return verbOf(o) == "get" || verbOf(o) == "list" })
}

func verbOf(operation string) string {
	verb, _, _ := strings.Cut(operation, " ")
	return verb
}

func pick(counts map[string]int, wanted func(string) bool) map[string]int {
	picked := map[string]int{}
	for name, count := range counts {
		if wanted(name) {
			picked[name] = count
		}
	}
	return picked
}

func total(counts map[string]int) (sum int) {
	for _, count := range counts {
		sum += count
	}
	return sum
}

// each renders counts for one of several objects, for people.
func each(counts map[string]int, objects int) string {
	if len(counts) == 0 {
		return "none"
	}
	parts := make([]string, 0, len(counts))
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, fmt.Sprintf("%s %s", figure.Number(per(counts[name], objects)), name))
	}
	return strings.Join(parts, ", ")
}

func per(count, objects int) float64 { return float64(count) / float64(objects) }
