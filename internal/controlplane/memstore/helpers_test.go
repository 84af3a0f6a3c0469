package memstore

import (
	"context"
	"strconv"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/apiserver/pkg/apis/example"
	"k8s.io/apiserver/pkg/storage"
)

// patience is how long a test waits for what must come.
const patience = time.Minute

func podKey(name string) string {
	return "/pods/ns/" + name
}

func newPod(name string) *example.Pod {
	return &example.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name}}
}

func (s *testStore) mustCreate(t *testing.T, pod *example.Pod, ttl uint64) *example.Pod {
	t.Helper()
	created := &example.Pod{}
	if err := s.Create(t.Context(), podKey(pod.Name), pod, created, ttl); err != nil {
		t.Fatal(err)
	}
	return created
}

// mustLabel updates a pod's label "state".
func (s *testStore) mustLabel(t *testing.T, name, state string) *example.Pod {
	t.Helper()
	updated := &example.Pod{}
	if err := s.label(t.Context(), name, state, updated); err != nil {
		t.Fatal(err)
	}
	return updated
}

func (s *testStore) label(ctx context.Context, name, state string, updated *example.Pod) error {
	return s.GuaranteedUpdate(ctx, podKey(name), updated, false, nil, storage.SimpleUpdate(
		func(obj runtime.Object) (runtime.Object, error) {
			pod, _ := obj.(*example.Pod)
			pod.Labels = map[string]string{"state": state}
			return pod, nil
		}), nil)
}

func (s *testStore) mustDelete(t *testing.T, name string) *example.Pod {
	t.Helper()
	deleted := &example.Pod{}
	err := s.Delete(t.Context(), podKey(name), deleted, nil, storage.ValidateAllObjectFunc, nil, storage.DeleteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return deleted
}

func (s *testStore) mustList(t *testing.T, opts storage.ListOptions) *example.PodList {
	t.Helper()
	list := &example.PodList{}
	if err := s.GetList(t.Context(), "/pods/", withDefaults(opts), list); err != nil {
		t.Fatal(err)
	}
	return list
}

func (s *testStore) mustWatch(t *testing.T, opts storage.ListOptions) watch.Interface {
	t.Helper()
	return s.mustWatchWith(t.Context(), t, opts)
}

func (s *testStore) mustWatchWith(ctx context.Context, t *testing.T, opts storage.ListOptions) watch.Interface {
	t.Helper()
	w, err := s.Watch(ctx, "/pods/", withDefaults(opts))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Stop)
	return w
}

// withDefaults selects everything, unless the options have a predicate.
func withDefaults(opts storage.ListOptions) storage.ListOptions {
	opts.Recursive = true
	if opts.Predicate.Label == nil {
		everything := storage.Everything
		everything.Limit, everything.Continue = opts.Predicate.Limit, opts.Predicate.Continue
		everything.AllowWatchBookmarks = opts.Predicate.AllowWatchBookmarks
		opts.Predicate = everything
	}
	return opts
}

// nextEvent returns the next event of a watch, with the object that the reader of a
// watch would get. It returns false if the watch has ended.
func nextEvent(t *testing.T, w watch.Interface) (watch.Event, bool) {
	t.Helper()
	select {
	case event, ok := <-w.ResultChan():
		if shared, isShared := event.Object.(runtime.CacheableObject); isShared {
			event.Object = shared.GetObject()
		}
		return event, ok
	case <-time.After(patience):
		t.Fatalf("no event after %s", patience)
		return watch.Event{}, false
	}
}

func nextPod(t *testing.T, w watch.Interface) (watch.EventType, *example.Pod) {
	t.Helper()
	event, ok := nextEvent(t, w)
	if !ok {
		t.Fatal("the watch has ended")
	}
	pod, ok := event.Object.(*example.Pod)
	if !ok {
		t.Fatalf("%s event with %#v", event.Type, event.Object)
	}
	return event.Type, pod
}

// wantExpired checks that a watch ends with 410 Gone, perhaps after other events.
func wantExpired(t *testing.T, w watch.Interface) {
	t.Helper()
	for {
		event, ok := nextEvent(t, w)
		if !ok {
			t.Fatal("the watch ended without an error, want 410 Gone")
		}
		if event.Type != watch.Error {
			continue
		}
		status, _ := event.Object.(*metav1.Status)
		if status.Code != 410 || status.Reason != metav1.StatusReasonExpired {
			t.Fatalf("the watch ended with %+v, want 410 Gone", status)
		}
		wantEnd(t, w)
		return
	}
}

func wantEnd(t *testing.T, w watch.Interface) {
	t.Helper()
	if event, ok := nextEvent(t, w); ok {
		t.Fatalf("%s event, want the end of the watch", event.Type)
	}
}

func revisionOf(t *testing.T, pod *example.Pod) int64 {
	t.Helper()
	revision, err := strconv.ParseInt(pod.ResourceVersion, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return revision
}
