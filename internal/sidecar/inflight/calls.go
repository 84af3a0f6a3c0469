// Package inflight limits each bucket to one mutating call in flight, because a driver need not
// support two. A reconcile that must wait ends, and holds no worker. It is repeated at its turn,
// without polling.
package inflight

import (
	"slices"
	"sync"

	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// Calls has the calls in flight for each bucket of one driver, and the waiting ones. It is safe for
// concurrent use.
type Calls struct {
	mu      sync.Mutex
	held    map[string]bool
	waiting []*ticket // in the order of arrival
}

// ticket is the place of an object in the queue.
type ticket struct {
	line    *Line
	object  reconcile.Request
	buckets []string
	// renewed is set when the object has asked in its current reconcile.
	renewed bool
}

// NewCalls returns a Calls without any call.
func NewCalls() *Calls { return &Calls{held: map[string]bool{}} }

// begin reports whether the object may call the driver now for all of the buckets. If
// not, the object waits.
func (c *Calls) begin(l *Line, object reconcile.Request, buckets []string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := c.find(l, object)
	if i < 0 {
		i = len(c.waiting)
		c.waiting = append(c.waiting, &ticket{line: l, object: object})
	}
	c.waiting[i].buckets, c.waiting[i].renewed = buckets, true
	if !c.isTurn(i) {
		return false
	}
	c.waiting = slices.Delete(c.waiting, i, i+1)
	for _, bucket := range buckets {
		c.held[bucket] = true
	}
	return true
}

func (c *Calls) end(buckets []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, bucket := range buckets {
		delete(c.held, bucket)
	}
	c.wake(buckets)
}

// isTurn reports whether neither a call in flight nor an earlier ticket has one of the
// buckets. The order keeps an object with many buckets from waiting without end.
func (c *Calls) isTurn(i int) bool {
	return !slices.ContainsFunc(c.waiting[i].buckets, func(bucket string) bool {
		return c.held[bucket] || slices.ContainsFunc(c.waiting[:i], func(earlier *ticket) bool {
			return slices.Contains(earlier.buckets, bucket)
		})
	})
}

// wake reconciles the objects whose turn may have come because these buckets are free.
func (c *Calls) wake(free []string) {
	for i, t := range c.waiting {
		if slices.ContainsFunc(t.buckets, func(bucket string) bool { return slices.Contains(free, bucket) }) && c.isTurn(i) {
			t.line.enqueue(t.object)
		}
	}
}

// start is called before an object is reconciled.
func (c *Calls) start(l *Line, object reconcile.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if i := c.find(l, object); i >= 0 {
		c.waiting[i].renewed = false
	}
}

// leave is called after an object was reconciled. An object that has not asked again stops waiting:
// for instance, it was deleted, or needs no call any more.
func (c *Calls) leave(l *Line, object reconcile.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := c.find(l, object)
	if i < 0 || c.waiting[i].renewed {
		return
	}
	buckets := c.waiting[i].buckets
	c.waiting = slices.Delete(c.waiting, i, i+1)
	c.wake(buckets)
}

func (c *Calls) waits(l *Line, object reconcile.Request) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.find(l, object) >= 0
}

func (c *Calls) find(l *Line, object reconcile.Request) int {
	return slices.IndexFunc(c.waiting, func(t *ticket) bool { return t.line == l && t.object == object })
}
