package inflight

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	cosireconcile "github.com/cosi-emu/cosi-emu/internal/reconcile"
)

// waitingLine has objects that call for buckets, in the line of one reconciler.
type waitingLine struct {
	*testing.T

	line  *Line
	woken workqueue.TypedRateLimitingInterface[reconcile.Request]
}

func newWaitingLine(t *testing.T) *waitingLine {
	t.Helper()
	w := &waitingLine{T: t, line: NewCalls().Line()}
	w.woken = workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[reconcile.Request]())
	t.Cleanup(w.woken.ShutDown)
	if err := w.line.Source().Start(t.Context(), w.woken); err != nil {
		t.Fatal(err)
	}
	return w
}

// begin reconciles an object that calls for buckets. It returns a function that ends the call, or
// nil if the object must wait.
func (w *waitingLine) begin(name string, buckets ...string) (end func()) {
	w.Helper()
	w.reconcile(name, func() {
		if w.line.calls.begin(w.line, request(name), buckets) {
			end = func() { w.line.calls.end(buckets) }
		}
	})
	return end
}

func (w *waitingLine) reconcile(name string, do func()) {
	w.Helper()
	r := w.line.Reconciler(reconcile.Func(func(context.Context, reconcile.Request) (reconcile.Result, error) {
		do()
		return reconcile.Result{}, nil
	}))
	if _, err := r.Reconcile(w.Context(), request(name)); err != nil {
		w.Fatal(err)
	}
}

func (w *waitingLine) expect(want ...string) {
	w.Helper()
	var got []string
	for w.woken.Len() > 0 {
		item, _ := w.woken.Get()
		w.woken.Done(item)
		got = append(got, item.Name)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		w.Errorf("woken (-want +got):\n%s", diff)
	}
}

func request(name string) (r reconcile.Request) {
	r.Name = name
	return r
}

// Spec: A1-CALLS-1
func TestOneCallAtATime(t *testing.T) {
	w := newWaitingLine(t)
	first := w.begin("first", "a")
	if w.begin("second", "a") != nil {
		t.Error("two calls for one bucket")
	}
	other := w.begin("other", "b")
	if other == nil {
		t.Fatal("a call for another bucket waits")
	}
	other()
	w.expect()
	first()
	w.expect("second")
	if w.begin("third", "a") != nil {
		t.Error("the third is before the second")
	}
	second := w.begin("second", "a")
	if second == nil {
		t.Fatal("the second still waits")
	}
	second()
	w.expect("third")
}

// TestAllBuckets: a call for several buckets holds none of them while it waits, but no later call
// overtakes it.
func TestAllBuckets(t *testing.T) {
	w := newWaitingLine(t)
	a, b := w.begin("a", "a"), w.begin("b", "b")
	if w.begin("both", "a", "b") != nil {
		t.Error("begins although both are taken")
	}
	a()
	w.expect()
	if w.begin("later", "a") != nil {
		t.Error("overtakes the one that waits for both")
	}
	b()
	w.expect("both")
	both := w.begin("both", "a", "b")
	if both == nil {
		t.Fatal("still waits")
	}
	both()
	w.expect("later")
}

// TestLeave: an object that does not ask again, because it was deleted, leaves the line.
func TestLeave(t *testing.T) {
	w := newWaitingLine(t)
	first := w.begin("first", "a")
	_, _ = w.begin("gone", "a"), w.begin("last", "a")
	w.reconcile("gone", func() {})
	first()
	w.expect("last")
}

// TestLeaveWakes: others may wait for the place that becomes free.
func TestLeaveWakes(t *testing.T) {
	w := newWaitingLine(t)
	first := w.begin("first", "a")
	_, _ = w.begin("both", "a", "b"), w.begin("b", "b")
	w.reconcile("both", func() {})
	w.expect("b")
	first()
	w.expect()
}

// TestBackOff: a turn is no success, and does not shorten the delay of the next retry.
func TestBackOff(t *testing.T) {
	w := newWaitingLine(t)
	limiter := w.line.RateLimiter(workqueue.DefaultTypedControllerRateLimiter[reconcile.Request]())
	first := w.begin("first", "a")
	_ = w.begin("second", "a")
	for _, name := range []string{"second", "other"} {
		limiter.When(request(name))
		limiter.Forget(request(name))
	}
	got := map[string]int{"second": limiter.NumRequeues(request("second")), "other": limiter.NumRequeues(request("other"))}
	if diff := cmp.Diff(map[string]int{"second": 1, "other": 0}, got); diff != "" {
		t.Errorf("retries that are remembered (-want +got):\n%s", diff)
	}
	first()
}

func TestCall(t *testing.T) {
	calls, failure := NewCalls(), errors.New("failure")
	buckets, accesses := calls.Line(), calls.Line()
	object := &v1alpha2.Bucket{}
	err := buckets.Call(object, func() error {
		if err := accesses.Call(object, func() error { return nil }, "a"); !errors.Is(err, cosireconcile.ErrPostponed) {
			t.Errorf("a second call: %v, want ErrPostponed", err)
		}
		return failure
	}, "a")
	if !errors.Is(err, failure) {
		t.Errorf("error %v, want that of the call", err)
	}
	if err := accesses.Call(object, func() error { return nil }, "a"); err != nil {
		t.Errorf("after the first: %v", err)
	}
}
