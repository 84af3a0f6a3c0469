package memstore

import (
	"context"
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/apiserver/pkg/apis/example"
	"k8s.io/apiserver/pkg/storage"
	testingclock "k8s.io/utils/clock/testing"

	"github.com/cosi-emu/cosi-emu/test/harness/leaks"
)

func TestSlowWatch(t *testing.T) {
	s := newTestStoreWith(t, nil, Options{HistoryEvents: 50})
	slow := s.mustWatch(t, storage.ListOptions{})
	writes := 50 + resultBuffer + batch + 2 // the capacity of the watch and the history, and one more
	created := s.mustCreate(t, newPod("pod"), 0)
	for i := range writes {
		created = s.mustLabel(t, "pod", strconv.Itoa(i)) // which no slow watch blocks
	}
	wantExpired(t, slow)

	fresh := s.mustWatch(t, storage.ListOptions{ResourceVersion: created.ResourceVersion})
	s.mustDelete(t, "pod")
	if kind, _ := nextPod(t, fresh); kind != watch.Deleted {
		t.Errorf("%s event after the slow watch, want DELETED", kind)
	}
}

func TestHistoryIsBounded(t *testing.T) {
	tests := []struct {
		name    string
		options Options
		want    func(size int) int // by the size of an event
	}{
		{"by events", Options{HistoryEvents: 10}, func(int) int { return 10 }},
		{"by bytes", Options{HistoryBytes: 2000}, func(size int) int { return 2000 / size }},
		{"the latest event stays", Options{HistoryBytes: 1}, func(int) int { return 1 }},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := newTestStoreWith(t, nil, test.options)
			var last *example.Pod
			for i := range 40 {
				last = s.mustCreate(t, newPod(fmt.Sprintf("pod-%02d", i)), 0)
			}
			want := test.want(s.history.events[0].size())
			if got := len(s.history.events); got != want {
				t.Errorf("the history has %d events, want %d", got, want)
			}
			oldest := revisionOf(t, last) - int64(want)
			if got := s.CompactRevision(); got != oldest {
				t.Errorf("compacted up to %d, want %d", got, oldest)
			}
			kind, pod := nextPod(t, s.mustWatch(t, storage.ListOptions{ResourceVersion: strconv.FormatInt(oldest, 10)}))
			if kind != watch.Added || revisionOf(t, pod) != oldest+1 {
				t.Errorf("the oldest event is %s at %s", kind, pod.ResourceVersion)
			}
			wantExpired(t, s.mustWatch(t, storage.ListOptions{ResourceVersion: strconv.FormatInt(oldest-1, 10)}))
		})
	}
}

// A resource that is quiet keeps its history, however busy the others are.
func TestHistoryIsOfOneResource(t *testing.T) {
	pods := newTestStoreWith(t, nil, Options{HistoryEvents: 10})
	created := pods.mustCreate(t, newPod("pod"), 0)
	w := pods.mustWatch(t, storage.ListOptions{ResourceVersion: created.ResourceVersion})
	others := openTestResource(t, pods.store, "/others/", nil)
	for i := range 100 {
		pod := newPod(strconv.Itoa(i))
		if err := others.Create(t.Context(), "/others/ns/"+pod.Name, pod, nil, 0); err != nil {
			t.Fatal(err)
		}
	}
	deleted := pods.mustDelete(t, "pod")
	kind, pod := nextPod(t, w)
	if kind != watch.Deleted || pod.ResourceVersion != deleted.ResourceVersion {
		t.Errorf("%s event at %s, want DELETED at %s", kind, pod.ResourceVersion, deleted.ResourceVersion)
	}
}

// As with the API server's cache, nothing is known of the time before a resource is
// served.
func TestWatchFromBeforeTheResource(t *testing.T) {
	s := newTestStore(t, nil)
	created := s.mustCreate(t, newPod("pod"), 0)
	s.mustLabel(t, "pod", "changed")
	later := openTestStore(t, s.store, nil)
	from := storage.ListOptions{ResourceVersion: created.ResourceVersion}
	wantExpired(t, later.mustWatch(t, from))
	if kind, _ := nextPod(t, s.mustWatch(t, from)); kind != watch.Modified {
		t.Errorf("%s event, want MODIFIED", kind)
	}
}

// Watches that wait miss nothing when the store is compacted.
func TestCompactionSparesWatchesThatHaveCaughtUp(t *testing.T) {
	s := newTestStore(t, nil)
	created := s.mustCreate(t, newPod("pod"), 0)
	w := s.mustWatch(t, storage.ListOptions{ResourceVersion: created.ResourceVersion})
	revision := s.increaseRevision(t.Context(), t)
	if err := s.store.Compact(revision); err != nil {
		t.Fatal(err)
	}
	s.mustLabel(t, "pod", "changed")
	if kind, _ := nextPod(t, w); kind != watch.Modified {
		t.Errorf("%s event, want MODIFIED", kind)
	}
	if err := s.store.Compact(revision + 100); err == nil {
		t.Error("the future was compacted")
	}
}

func TestSelection(t *testing.T) {
	s := newTestStore(t, nil)
	w := s.mustWatch(t, storage.ListOptions{Predicate: storage.SelectionPredicate{
		Label:    labels.SelectorFromSet(labels.Set{"state": "in"}),
		Field:    fields.Everything(),
		GetAttrs: storage.DefaultNamespaceScopedAttr,
	}})
	s.mustCreate(t, newPod("pod"), 0)
	entered := s.mustLabel(t, "pod", "in")
	left := s.mustLabel(t, "pod", "out")
	returned := s.mustLabel(t, "pod", "in")
	gone := s.mustDelete(t, "pod")

	type seen struct {
		Kind                   watch.EventType
		ResourceVersion, State string
	}
	want := []seen{
		{watch.Added, entered.ResourceVersion, "in"},
		{watch.Deleted, left.ResourceVersion, "in"}, // as it was while it was selected
		{watch.Added, returned.ResourceVersion, "in"},
		{watch.Deleted, gone.ResourceVersion, "in"},
	}
	var got []seen
	for range want {
		kind, pod := nextPod(t, w)
		got = append(got, seen{kind, pod.ResourceVersion, pod.Labels["state"]})
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

func TestBookmarks(t *testing.T) {
	start := time.Now()
	tests := []struct {
		name     string
		deadline time.Duration // 0 for none
		steps    []time.Duration
		want     int
	}{
		{"every minute", 0, []time.Duration{time.Minute, time.Minute}, 2},
		{"not before", 0, []time.Duration{time.Minute - 1}, 0},
		{"before the deadline", 30 * time.Second, []time.Duration{28 * time.Second, time.Hour}, 1},
		{"not after it", time.Second, []time.Duration{time.Hour}, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			clock := testingclock.NewFakeClock(start)
			s := newTestStoreWith(t, nil, Options{Clock: clock})
			ctx := t.Context()
			if test.deadline > 0 {
				ctx = withDeadline(ctx, start.Add(test.deadline))
			}
			w := s.mustWatchWith(ctx, t, storage.ListOptions{Predicate: storage.SelectionPredicate{AllowWatchBookmarks: true}})
			for i, step := range test.steps {
				revision := s.increaseRevision(ctx, t)
				if i < test.want {
					waitFor(t, clock.HasWaiters)
				}
				clock.Step(step)
				if i >= test.want {
					break
				}
				kind, pod := nextPod(t, w)
				if kind != watch.Bookmark || revisionOf(t, pod) != revision {
					t.Errorf("%s event at %s, want BOOKMARK at %d", kind, pod.ResourceVersion, revision)
				}
			}
			s.mustCreate(t, newPod("pod"), 0)
			if kind, _ := nextPod(t, w); kind != watch.Added {
				t.Errorf("%s event, want ADDED and no bookmark", kind)
			}
		})
	}
}

// deadlineContext returns a deadline, by the clock of the test, but never expires.
type deadlineContext struct {
	context.Context //nolint:containedctx // it is a context
	deadline        time.Time
}

func (c deadlineContext) Deadline() (time.Time, bool) {
	return c.deadline, true
}

func withDeadline(ctx context.Context, deadline time.Time) context.Context {
	return deadlineContext{ctx, deadline}
}

func TestRequestWatchProgress(t *testing.T) {
	s := newTestStoreWith(t, nil, Options{Clock: testingclock.NewFakeClock(time.Now())})
	asked := s.mustWatch(t, storage.ListOptions{ProgressNotify: true})
	others := s.mustWatch(t, storage.ListOptions{Predicate: storage.SelectionPredicate{AllowWatchBookmarks: true}})
	s.mustCreate(t, newPod("pod"), 0)
	revision := s.increaseRevision(t.Context(), t)
	if err := s.RequestWatchProgress(t.Context()); err != nil {
		t.Fatal(err)
	}
	if kind, _ := nextPod(t, asked); kind != watch.Added {
		t.Errorf("%s event, want ADDED before the progress", kind)
	}
	if kind, pod := nextPod(t, asked); kind != watch.Bookmark || revisionOf(t, pod) != revision {
		t.Errorf("%s event at %s, want BOOKMARK at %d", kind, pod.ResourceVersion, revision)
	}
	s.mustDelete(t, "pod")
	for _, want := range []watch.EventType{watch.Added, watch.Deleted} {
		if kind, _ := nextPod(t, others); kind != want {
			t.Errorf("%s event, want %s", kind, want)
		}
	}
}

func TestWatchEnds(t *testing.T) {
	tests := []struct {
		name string
		end  func(s *testStore, w watch.Interface, cancel context.CancelFunc)
	}{
		{"by Stop", func(_ *testStore, w watch.Interface, _ context.CancelFunc) { w.Stop(); w.Stop() }},
		{"with its context", func(_ *testStore, _ watch.Interface, cancel context.CancelFunc) { cancel() }},
		{"with its resource", func(s *testStore, _ watch.Interface, _ context.CancelFunc) { s.destroy() }},
		{"with the store", func(s *testStore, _ watch.Interface, _ context.CancelFunc) { s.store.Close(); s.store.Close() }},
	}
	for _, test := range tests {
		for _, blocked := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/blocked=%t", test.name, blocked), func(t *testing.T) {
				defer leaks.Check(t)
				s := newTestStore(t, nil)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				w := s.mustWatchWith(ctx, t, storage.ListOptions{})
				if blocked {
					for i := range 2 * resultBuffer {
						s.mustCreate(t, newPod(strconv.Itoa(i)), 0)
					}
					waitFor(t, func() bool { return len(w.ResultChan()) == resultBuffer })
				}
				test.end(s, w, cancel)
				read := 0
				for range w.ResultChan() {
					read++
				}
				if read > resultBuffer+1 {
					t.Errorf("%d events after the end", read)
				}
				if left := len(s.history.watchers); left != 0 {
					t.Errorf("%d watchers are left", left)
				}
				s.store.Close()
			})
		}
	}
}

func TestWatchAfterTheEnd(t *testing.T) {
	s := newTestStore(t, nil)
	s.store.Close()
	wantEnd(t, s.mustWatch(t, storage.ListOptions{}))
	if err := s.ReadinessCheck(); err == nil {
		t.Error("a closed store is ready")
	}
	s.mustCreate(t, newPod("pod"), 1) // without a watch and without an end
}

// Watchers of a resource share the objects and encodings of an event, which are immutable.
func TestWatchersShare(t *testing.T) {
	s := newTestStore(t, nil)
	created := s.mustCreate(t, newPod("pod"), 0)
	from := storage.ListOptions{ResourceVersion: created.ResourceVersion}
	first, second := s.mustWatch(t, from), s.mustWatch(t, from)
	s.mustLabel(t, "pod", "changed")
	s.mustDelete(t, "pod")
	for range 2 {
		one, other := <-first.ResultChan(), <-second.ResultChan()
		if one.Object != other.Object {
			t.Errorf("the watches got different objects for one %s event", one.Type)
		}
		shared, ok := one.Object.(runtime.CacheableObject)
		if !ok {
			t.Fatalf("%s event with a %T", one.Type, one.Object)
		}
		pod, _ := shared.GetObject().(*example.Pod)
		pod.Labels["state"] = "mine"
		again, _ := shared.GetObject().(*example.Pod)
		if again.Labels["state"] != "changed" {
			t.Errorf("a reader has changed the object of the %s event", one.Type)
		}
	}
}

func TestEventsKeepLittle(t *testing.T) {
	s := newTestStore(t, nil)
	s.mustCreate(t, newPod("pod"), 0)
	w := s.mustWatch(t, storage.ListOptions{})
	nextPod(t, w)
	for i := range 3 * sharedEvents {
		s.mustLabel(t, "pod", strconv.Itoa(i))
		nextPod(t, w)
	}
	late := s.mustWatch(t, storage.ListOptions{ResourceVersion: "2", Predicate: storage.SelectionPredicate{
		Label: labels.Everything(), Field: fields.OneTermEqualSelector("metadata.name", "pod"), GetAttrs: storage.DefaultNamespaceScopedAttr,
	}})
	for range 3 * sharedEvents { // the late watcher decodes for itself
		nextPod(t, late)
	}
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	kept := 0
	for _, e := range s.history.events {
		if e.currentObjects.first.Load() != nil || (e.previous != nil && e.previous.objects.first.Load() != nil) {
			kept++
		}
	}
	if kept > sharedEvents {
		t.Errorf("%d events keep objects, want at most %d", kept, sharedEvents)
	}
}

func waitFor(t *testing.T, condition func() bool) {
	t.Helper()
	ticker := time.NewTicker(time.Millisecond)
	defer ticker.Stop()
	deadline := time.After(patience)
	for !condition() {
		select {
		case <-ticker.C:
		case <-deadline:
			t.Fatalf("condition not met after %s", patience)
		}
	}
}
