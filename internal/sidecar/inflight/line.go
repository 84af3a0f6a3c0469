package inflight

import (
	"context"
	"sync/atomic"

	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	cosireconcile "github.com/cosi-emu/cosi-emu/internal/reconcile"
)

// Line passes the calls of one reconciler's objects to the Calls. The reconciler runs inside of
// Reconciler, with Source as one of its sources, and RateLimiter as its rate limiter.
type Line struct {
	calls *Calls
	queue atomic.Pointer[queue]
}

type queue = workqueue.TypedRateLimitingInterface[reconcile.Request]

// Line returns a Line for another reconciler.
func (c *Calls) Line() *Line { return &Line{calls: c} }

// Call makes a call that changes the buckets of those IDs, on behalf of an object. If it is not the
// object's turn, it returns [cosireconcile.ErrPostponed].
func (l *Line) Call(object client.Object, call func() error, buckets ...string) error {
	request := reconcile.Request{NamespacedName: client.ObjectKeyFromObject(object)}
	if !l.calls.begin(l, request, buckets) {
		return cosireconcile.ErrPostponed
	}
	defer l.calls.end(buckets)
	return call()
}

// Source enqueues an object when its turn has come.
func (l *Line) Source() source.Source {
	return source.Func(func(_ context.Context, q queue) error {
		l.queue.Store(&q)
		return nil
	})
}

func (l *Line) enqueue(object reconcile.Request) {
	if q := l.queue.Load(); q != nil {
		(*q).Add(object)
	}
}

// Reconciler runs a reconciler whose objects call through the Line.
func (l *Line) Reconciler(r reconcile.Reconciler) reconcile.Reconciler {
	return reconcile.Func(func(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
		l.calls.start(l, request)
		defer l.calls.leave(l, request)
		return r.Reconcile(ctx, request)
	})
}

// RateLimiter keeps the back-off of a waiting object: its calls have not succeeded.
func (l *Line) RateLimiter(of workqueue.TypedRateLimiter[reconcile.Request]) workqueue.TypedRateLimiter[reconcile.Request] {
	return &limiter{TypedRateLimiter: of, line: l}
}

type limiter struct {
	workqueue.TypedRateLimiter[reconcile.Request]

	line *Line
}

func (r *limiter) Forget(object reconcile.Request) {
	if !r.line.calls.waits(r.line, object) {
		r.TypedRateLimiter.Forget(object)
	}
}
