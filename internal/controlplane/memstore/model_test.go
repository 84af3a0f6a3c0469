package memstore

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/apiserver/pkg/apis/example"
	"k8s.io/apiserver/pkg/storage"
)

// FuzzStore compares the store with a model that keeps every state it ever had. Each pair
// of bytes is an operation and its argument.
func FuzzStore(f *testing.F) {
	f.Add([]byte{0, 0, 0, 1, 1, 0, 2, 1, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0})
	f.Add([]byte("\x00\x00\x00\x11\x00\x22\x01\x01\x01\x12\x02\x00\x05\x33\x06\x02\x07\x01\x04\x05\x00\x00\x03\x05"))
	f.Add([]byte("the quick brown fox jumps over the lazy dog and creates, updates and deletes objects"))
	f.Fuzz(runProgram)
}

// TestRandomPrograms runs random programs, as FuzzStore would.
func TestRandomPrograms(t *testing.T) {
	seed := rand.Uint64() //nolint:gosec // a seed to be printed
	for i := range 200 {
		random := rand.New(rand.NewPCG(seed, uint64(i))) //nolint:gosec // seeded
		program := make([]byte, 2*random.IntN(mostOperations))
		for at := range program {
			program[at] = byte(random.Uint32()) //nolint:gosec // any byte will do
		}
		if !t.Run(fmt.Sprintf("seed %d/%d", seed, i), func(t *testing.T) { runProgram(t, program) }) {
			return
		}
	}
}

// mostOperations is the length of a program. Longer ones find nothing else.
const mostOperations = 100

// runProgram compares the effects of a program on the store and on the model.
func runProgram(t *testing.T, program []byte) {
	t.Helper()
	m := newModel(t)
	for i := 0; i+1 < min(len(program), 2*mostOperations); i += 2 {
		m.steps()[int(program[i])%len(m.steps())](int(program[i+1]))
	}
	for revision := firstRevision; revision <= m.revision()+1; revision++ {
		m.list(revision)
		m.watch(revision)
	}
}

// model keeps the pods by key at each revision.
type model struct {
	t         *testing.T
	s         *testStore
	states    []map[string]example.Pod // state i has revision i+firstRevision
	compacted int
}

func newModel(t *testing.T) *model {
	t.Helper()
	return &model{t: t, s: newTestStore(t, nil), states: []map[string]example.Pod{{}}}
}

func (m *model) steps() []func(about int) {
	return []func(about int){
		m.create, m.update, m.delete, m.compact, m.restore,
		func(about int) { m.list(m.revisionFor(about)) },
		func(about int) { m.watch(m.revisionFor(about)) },
		m.pages,
	}
}

func (m *model) now() map[string]example.Pod { return m.states[len(m.states)-1] }
func (m *model) revision() int               { return len(m.states) - 1 + firstRevision }

// at is the state at a revision.
func (m *model) at(revision int) map[string]example.Pod {
	return m.states[revision-firstRevision]
}

// revisionFor is one from firstRevision to two after the present one.
func (m *model) revisionFor(about int) int {
	return firstRevision + about%(len(m.states)+2)
}

// podFor is one of 12 pods in 3 namespaces, of whose names some begin with others.
func podFor(about int) (key string, pod *example.Pod) {
	pod = newPod([]string{"a", "a.b", "ab", "b"}[about%4])
	pod.Namespace = []string{"n", "n-s", "ns"}[about/4%3]
	return "/pods/" + pod.Namespace + "/" + pod.Name, pod
}

func stateLabel(about int) map[string]string {
	return map[string]string{"state": strconv.Itoa(about / 12 % 3)}
}

// wrote adds the state after a write, which must have the next revision.
func (m *model) wrote(key string, pod *example.Pod, exists bool) {
	m.t.Helper()
	state := maps.Clone(m.now())
	delete(state, key)
	if exists {
		state[key] = *pod
	}
	m.states = append(m.states, state)
	if got := revisionOf(m.t, pod); got != int64(m.revision()) {
		m.t.Fatalf("%s was written at %d, want %d", key, got, m.revision())
	}
}

func (m *model) create(about int) {
	m.t.Helper()
	key, pod := podFor(about)
	pod.Labels = stateLabel(about)
	created := &example.Pod{}
	err := m.s.Create(m.t.Context(), key, pod, created, 0)
	if _, exists := m.now()[key]; exists {
		if !storage.IsExist(err) {
			m.t.Fatalf("create %s again: %v", key, err)
		}
		return
	}
	m.must(err)
	m.wrote(key, created, true)
}

func (m *model) update(about int) {
	m.t.Helper()
	key, _ := podFor(about)
	before, exists := m.now()[key]
	updated := &example.Pod{}
	err := m.s.GuaranteedUpdate(m.t.Context(), key, updated, false, nil, storage.SimpleUpdate(
		func(obj runtime.Object) (runtime.Object, error) {
			if diff := cmp.Diff(&before, obj); diff != "" {
				m.t.Errorf("update of %s (-want +got):\n%s", key, diff)
			}
			pod, _ := obj.(*example.Pod)
			pod.Labels = stateLabel(about)
			return pod, nil
		}), nil)
	switch {
	case !exists:
		if !storage.IsNotFound(err) {
			m.t.Fatalf("update %s, which does not exist: %v", key, err)
		}
	case cmp.Equal(before.Labels, stateLabel(about)):
		m.must(err)
		if diff := cmp.Diff(&before, updated); diff != "" {
			m.t.Fatalf("an update without a change (-want +got):\n%s", diff)
		}
	default:
		m.must(err)
		m.wrote(key, updated, true)
	}
}

func (m *model) delete(about int) {
	m.t.Helper()
	key, _ := podFor(about)
	before, exists := m.now()[key]
	deleted := &example.Pod{}
	err := m.s.Delete(m.t.Context(), key, deleted, nil, storage.ValidateAllObjectFunc, nil, storage.DeleteOptions{})
	if !exists {
		if !storage.IsNotFound(err) {
			m.t.Fatalf("delete %s, which does not exist: %v", key, err)
		}
		return
	}
	m.must(err)
	m.wrote(key, deleted, false)
	before.ResourceVersion = deleted.ResourceVersion
	if diff := cmp.Diff(&before, deleted); diff != "" {
		m.t.Fatalf("delete %s (-want +got):\n%s", key, diff)
	}
}

func (m *model) compact(about int) {
	m.t.Helper()
	revision := m.revisionFor(about)
	err := m.s.store.Compact(int64(revision))
	if revision > m.revision() {
		if err == nil {
			m.t.Fatalf("%d was compacted, after %d", revision, m.revision())
		}
		return
	}
	m.must(err)
	m.compacted = max(m.compacted, revision)
}

// restore takes a snapshot, makes a write that it undoes, and restores it.
func (m *model) restore(about int) {
	m.t.Helper()
	snapshot := m.s.store.Snapshot()
	states := slices.Clone(m.states)
	m.update(about)
	m.delete(about + 1)
	m.s.store.Restore(snapshot)
	m.states = states
	m.compacted = m.revision()
}

// list compares lists of all pods and of a namespace at a revision.
func (m *model) list(revision int) {
	m.t.Helper()
	for _, prefix := range []string{"/pods/", "/pods/n"} {
		list := &example.PodList{}
		err := m.s.GetList(m.t.Context(), prefix, withDefaults(storage.ListOptions{
			ResourceVersion: strconv.Itoa(revision), ResourceVersionMatch: metav1.ResourceVersionMatchExact,
		}), list)
		if revision > m.revision() {
			if !storage.IsTooLargeResourceVersion(err) {
				m.t.Fatalf("list at %d of %d: %v", revision, m.revision(), err)
			}
			continue
		}
		if revision < m.compacted {
			if !apierrors.IsResourceExpired(err) {
				m.t.Fatalf("list at %d, compacted %d: %v", revision, m.compacted, err)
			}
			continue
		}
		m.must(err)
		m.checkItems(fmt.Sprintf("%s at %d", prefix, revision), m.at(revision), prefix, list.Items)
	}
}

// checkItems compares a list with the pods of a state that have a prefix, which a slash
// ends.
func (m *model) checkItems(what string, state map[string]example.Pod, prefix string, items []example.Pod) {
	m.t.Helper()
	prefix = strings.TrimSuffix(prefix, "/") + "/"
	want := []example.Pod{}
	for _, key := range slices.Sorted(maps.Keys(state)) {
		if strings.HasPrefix(key, prefix) {
			want = append(want, state[key])
		}
	}
	if diff := cmp.Diff(want, items); diff != "" {
		m.t.Fatalf("list of %s (-want +got):\n%s", what, diff)
	}
}

// pages reads the pods page by page, with a write after the first one.
func (m *model) pages(about int) {
	m.t.Helper()
	state, compacted := m.now(), m.compacted
	items := []example.Pod{}
	next := ""
	for {
		list := &example.PodList{}
		err := m.s.GetList(m.t.Context(), "/pods/", withDefaults(storage.ListOptions{
			Predicate: storage.SelectionPredicate{Limit: int64(1 + about%3), Continue: next},
		}), list)
		m.must(err)
		items = append(items, list.Items...)
		if left := list.RemainingItemCount; left != nil && int(*left) != len(state)-len(items) {
			m.t.Fatalf("%d pods remain, want %d", *left, len(state)-len(items))
		}
		if next == "" {
			m.create(about)
			m.delete(about + 1)
		}
		if next = list.Continue; next == "" {
			break
		}
	}
	if compacted != m.compacted {
		m.t.Fatal("nothing was to be compacted")
	}
	m.checkItems("all pages", state, "/pods/", items)
}

// watch compares the events after a revision with the states, with a selection and
// without.
func (m *model) watch(revision int) {
	m.t.Helper()
	selected := storage.SelectionPredicate{
		Label: labels.SelectorFromSet(labels.Set{"state": "1"}), Field: fields.Everything(), GetAttrs: storage.DefaultNamespaceScopedAttr,
	}
	for _, predicate := range []storage.SelectionPredicate{{}, selected} {
		m.watchSelected(revision, predicate)
	}
}

func (m *model) watchSelected(revision int, predicate storage.SelectionPredicate) {
	m.t.Helper()
	ctx, cancel := context.WithCancel(m.t.Context())
	defer cancel()
	w := m.s.mustWatchWith(ctx, m.t, storage.ListOptions{ResourceVersion: strconv.Itoa(revision), Predicate: predicate})
	if revision < m.compacted {
		wantExpired(m.t, w)
		return
	}
	for r := revision; r < m.revision(); r++ {
		want, err := change(m.at(r), m.at(r+1), r+1, predicate)
		m.must(err)
		if want.Type == "" {
			continue
		}
		kind, pod := nextPod(m.t, w)
		if diff := cmp.Diff(want, watch.Event{Type: kind, Object: pod}); diff != "" {
			m.t.Fatalf("watch from %d: event at %d (-want +got):\n%s", revision, r+1, diff)
		}
	}
}

// change is the event at a revision, which leads from one state to the next, if the
// selection has one.
func change(before, after map[string]example.Pod, revision int, predicate storage.SelectionPredicate) (watch.Event, error) {
	keys := maps.Clone(before)
	maps.Copy(keys, after)
	for key := range keys {
		old, existed := before[key]
		pod, exists := after[key]
		if existed && exists && old.ResourceVersion == pod.ResourceVersion {
			continue
		}
		was, is := existed && matches(predicate, &old), exists && matches(predicate, &pod)
		switch {
		case was && is:
			return watch.Event{Type: watch.Modified, Object: &pod}, nil
		case is:
			return watch.Event{Type: watch.Added, Object: &pod}, nil
		case was:
			old.ResourceVersion = strconv.Itoa(revision)
			return watch.Event{Type: watch.Deleted, Object: &old}, nil
		default:
			return watch.Event{}, nil
		}
	}
	return watch.Event{}, errors.New("two states are the same")
}

func (m *model) must(err error) {
	m.t.Helper()
	if err != nil {
		m.t.Fatal(err)
	}
}
