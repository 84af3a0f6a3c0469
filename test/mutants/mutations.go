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

// mutations are what a component does wrong. They are made between the component
// and the seams, which see what comes of them.
type mutations struct {
	// held are writes that are answered as if they were done, and done later.
	held []held
	// extra are writes that should not be.
	extra []extra
	// ignored are operations whose errors are taken for success.
	ignored []string
	// abandons is what writes have in them that count as made once one of them has failed,
	// by anything but a conflict; empty if they are made again.
	abandons string
	// background are calls that are answered at once, and made a while after a write.
	background map[string]string
	// betrays says that a secret key is written where everybody can read it.
	betrays bool
}

// held is a write that is held back until an operation has been done.
type held struct {
	write, with, until string
}

// extra is a write that follows another operation.
type extra struct {
	after string
	write func(ctx context.Context, next http.RoundTripper, after *http.Request)
}

// leisure is how long it takes until something is done in the background: longer than
// it takes others to act on what was written before.
const leisure = 150 * time.Millisecond

// What a write is known by.
const (
	finalizers = `"finalizers":["`
)

// saboteur is one life of a component that makes mutations.
type saboteur struct {
	mutations

	mu      sync.Mutex
	waiting []postponed
	secret  string
	lost    []types.UID // what a write has been abandoned of
}

// postponed is something that is done after an operation.
type postponed struct {
	until string
	do    func()
}

func (c *saboteur) postpone(until string, do func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waiting = append(c.waiting, postponed{until, do})
}

// done does what had to wait for an operation.
func (c *saboteur) done(operation string) {
	c.mu.Lock()
	var due, left []postponed
	for _, p := range c.waiting {
		if p.until == operation {
			due = append(due, p)
		} else {
			left = append(left, p)
		}
	}
	c.waiting = left
	c.mu.Unlock()
	for _, p := range due {
		p.do()
	}
}

func (c *saboteur) ignores(operation string) bool { return slices.Contains(c.ignored, operation) }

// call is a gRPC interceptor.
func (c *saboteur) call(
	ctx context.Context, method string, req, reply any, conn *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption,
) error {
	operation := path.Base(method)
	if until, ok := c.background[operation]; ok {
		later := context.WithoutCancel(ctx)
		c.postpone(until, func() {
			<-time.After(leisure)
			_ = invoke(later, method, req, reply, conn, opts...)
		})
		return nil
	}
	err := invoke(ctx, method, req, reply, conn, opts...)
	c.learn(reply)
	c.done(operation)
	if c.ignores(operation) {
		return nil
	}
	return err
}

// operationOf names a request as the journal does, as far as the mutations need it.
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
