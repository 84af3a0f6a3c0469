package mutants

import (
	"context"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc"
	"k8s.io/apimachinery/pkg/types"
)

// mutations are the bugs of a component. They act between the component and the seams, so
// the seams see their effects.
type mutations struct {
	// held are writes with a response at once, which are executed later.
	held []held
	// extra are additional writes.
	extra []extra
	// ignored are operations whose errors are ignored.
	ignored []string
	// drops is a part of the body of writes that are not retried after a failure other
	// than a conflict; empty means none.
	drops string
	// background are calls with a response at once, which are executed some time after a write.
	background map[string]string
	// leaksSecret writes a secret key into a status that everyone can read.
	leaksSecret bool
}

// held is a write that is delayed until another operation is done.
type held struct {
	write, with, until string
}

// extra is a write that follows another operation.
type extra struct {
	after string
	write func(ctx context.Context, next http.RoundTripper, after *http.Request)
}

// backgroundDelay is the delay of background calls. It is longer than other components need to act
// on the preceding write.
const backgroundDelay = 150 * time.Millisecond

// Parts of the bodies of writes.
const (
	finalizers = `"finalizers":["`
)

// mutator applies the mutations of one incarnation of a component.
type mutator struct {
	mutations

	mu      sync.Mutex
	waiting []postponed
	secret  string
	lost    []types.UID // objects of dropped writes
}

// postponed is a function that runs after an operation.
type postponed struct {
	until string
	do    func()
}

func (m *mutator) postpone(until string, do func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.waiting = append(m.waiting, postponed{until, do})
}

// done runs the functions that were postponed until an operation.
func (m *mutator) done(operation string) {
	m.mu.Lock()
	var due, left []postponed
	for _, p := range m.waiting {
		if p.until == operation {
			due = append(due, p)
		} else {
			left = append(left, p)
		}
	}
	m.waiting = left
	m.mu.Unlock()
	for _, p := range due {
		p.do()
	}
}

func (m *mutator) ignores(operation string) bool { return slices.Contains(m.ignored, operation) }

// call is a gRPC interceptor.
func (m *mutator) call(
	ctx context.Context, method string, req, reply any, conn *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption,
) error {
	operation := path.Base(method)
	if until, ok := m.background[operation]; ok {
		later := context.WithoutCancel(ctx)
		m.postpone(until, func() {
			<-time.After(backgroundDelay)
			_ = invoke(later, method, req, reply, conn, opts...)
		})
		return nil
	}
	err := invoke(ctx, method, req, reply, conn, opts...)
	m.learn(reply)
	m.done(operation)
	if m.ignores(operation) {
		return nil
	}
	return err
}

// operationOf returns the operation name of the journal for the requests that mutations use.
func operationOf(r *http.Request) string {
	verb := map[string]string{
		http.MethodPost: "create", http.MethodPut: "update", http.MethodPatch: "patch", http.MethodDelete: "delete",
	}[r.Method]
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	for i, part := range parts {
		switch part {
		case "buckets", "bucketclaims", "bucketaccesses", "secrets":
			if i+2 < len(parts) {
				return verb + " " + part + "/" + parts[i+2]
			}
			return verb + " " + part
		}
	}
	return ""
}
