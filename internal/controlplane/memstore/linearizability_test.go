package memstore

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/anishathalye/porcupine"
	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/apiserver/pkg/apis/example"
	"k8s.io/apiserver/pkg/storage"
	storagetesting "k8s.io/apiserver/pkg/storage/testing"
	"k8s.io/apiserver/pkg/storage/value"
)

const (
	writers          = 32
	writesOfAWriter  = 40
	objectsOfWriters = 5
	countLabel       = "count"
)

// TestConcurrentWriters has many writers change few objects, and checks that the writes are
// linearizable, that a watch reports them in that order, and that each list is the state at one
// moment of it.
func TestConcurrentWriters(t *testing.T) {
	for name, transformer := range map[string]value.Transformer{
		"plain": nil, "transformed": storagetesting.NewPrefixTransformer([]byte(transformerPrefix), false),
	} {
		t.Run(name, func(t *testing.T) {
			seed := rand.Uint64() //nolint:gosec // a seed to be printed
			t.Logf("seed %d", seed)
			s := newTestStore(t, transformer)
			w := s.mustWatch(t, storage.ListOptions{ResourceVersion: strconv.Itoa(firstRevision)})
			history := &operations{}
			done := make(chan struct{})
			var lists []*example.PodList
			var running, listing sync.WaitGroup
			for i := range writers {
				running.Go(func() { history.write(t, s, i, rand.New(rand.NewPCG(seed, uint64(i)))) }) //nolint:gosec // seeded
			}
			listing.Go(func() { lists = listUntil(t, s, done) })
			running.Wait()
			close(done)
			listing.Wait()

			checkLinearizable(t, history.all)
			events := readUntil(t, w, s.store.Revision())
			checkLists(t, events, append(lists, s.mustList(t, storage.ListOptions{})))
		})
	}
}

// kind is a kind of operation on one object.
type kind int

const (
	create kind = iota
	increment
	read
	deleteAny
	deleteKnown // only if it still has the resource version that was read
)

var kinds = []kind{create, increment, read, deleteAny, deleteKnown}

type input struct {
	kind   kind
	object string
	known  int64
}

// output is the result of an operation: the object after a create or an increment, when it was
// read, or before it was deleted.
type output struct {
	done     bool // else the object existed, did not exist, or had another resource version
	count    int
	revision int64
}

type operations struct {
	clock atomic.Int64
	mu    sync.Mutex
	all   []porcupine.Operation
}

func (o *operations) write(t *testing.T, s *testStore, writer int, random *rand.Rand) {
	t.Helper()
	known := map[string]int64{}
	for range writesOfAWriter {
		in := input{kind: kinds[random.IntN(len(kinds))], object: fmt.Sprintf("pod-%d", random.IntN(objectsOfWriters))}
		in.known = known[in.object]
		call := o.clock.Add(1)
		out, err := in.do(t, s)
		if err != nil {
			t.Errorf("writer %d: %+v: %v", writer, in, err)
			return
		}
		known[in.object] = out.revision
		operation := porcupine.Operation{ClientId: writer, Input: in, Call: call, Output: out, Return: o.clock.Add(1)}
		o.mu.Lock()
		o.all = append(o.all, operation)
		o.mu.Unlock()
	}
}

func (in input) do(t *testing.T, s *testStore) (output, error) {
	t.Helper()
	pod, err := &example.Pod{}, error(nil)
	ctx, key := t.Context(), podKey(in.object)
	switch in.kind {
	case create:
		created := newPod(in.object)
		created.Labels = map[string]string{countLabel: "0"}
		err = s.Create(ctx, key, created, pod, 0)
	case increment:
		err = s.GuaranteedUpdate(ctx, key, pod, false, nil, storage.SimpleUpdate(incrementPod), nil)
	case read:
		err = s.Get(ctx, key, storage.GetOptions{}, pod)
	case deleteAny:
		err = s.Delete(ctx, key, pod, nil, storage.ValidateAllObjectFunc, nil, storage.DeleteOptions{})
	case deleteKnown:
		known := strconv.FormatInt(in.known, 10)
		err = s.Delete(ctx, key, pod, &storage.Preconditions{ResourceVersion: &known}, storage.ValidateAllObjectFunc, nil,
			storage.DeleteOptions{})
	}
	if storage.IsExist(err) || storage.IsNotFound(err) || storage.IsInvalidObj(err) {
		return output{}, nil
	}
	if err != nil {
		return output{}, err
	}
	count, err := strconv.Atoi(pod.Labels[countLabel])
	return output{done: true, count: count, revision: revisionOf(t, pod)}, err
}

func incrementPod(obj runtime.Object) (runtime.Object, error) {
	pod, _ := obj.(*example.Pod)
	count, err := strconv.Atoi(pod.Labels[countLabel])
	pod.Labels[countLabel] = strconv.Itoa(count + 1)
	return pod, err
}

// object is the state of one object in the model. It exists if its revision is not 0.
type object struct {
	count             int
	revision, highest int64 // the highest revision covers all its writes, deletions included
}

var oneObject = porcupine.Model{
	Partition: func(history []porcupine.Operation) [][]porcupine.Operation {
		byObject := map[string][]porcupine.Operation{}
		for _, operation := range history {
			in, _ := operation.Input.(input)
			byObject[in.object] = append(byObject[in.object], operation)
		}
		var parts [][]porcupine.Operation
		for _, part := range byObject {
			parts = append(parts, part)
		}
		return parts
	},
	Init: func() any { return object{} },
	Step: func(before, inputOf, outputOf any) (bool, any) {
		state, _ := before.(object)
		in, _ := inputOf.(input)
		out, _ := outputOf.(output)
		return state.step(in, out)
	},
}

// step reports whether an operation can have this output, and returns the object after it.
func (o object) step(in input, out output) (bool, any) {
	if !out.done {
		return !o.allows(in), o
	}
	after := object{count: out.count, revision: out.revision, highest: out.revision}
	possible := o.allows(in) && out.revision > o.highest
	switch in.kind {
	case create:
		return possible && out.count == 0, after
	case increment:
		return possible && out.count == o.count+1, after
	case read:
		return o.allows(in) && out.count == o.count && out.revision == o.revision, o
	case deleteAny, deleteKnown:
		return possible && out.count == o.count, object{highest: out.revision}
	default:
		return false, o
	}
}

// allows reports whether the object meets the precondition of an operation.
func (o object) allows(in input) bool {
	switch in.kind {
	case create:
		return o.revision == 0
	case deleteKnown:
		return o.revision != 0 && o.revision == in.known
	default:
		return o.revision != 0
	}
}

func checkLinearizable(t *testing.T, history []porcupine.Operation) {
	t.Helper()
	if len(history) != writers*writesOfAWriter {
		t.Errorf("%d operations, want %d", len(history), writers*writesOfAWriter)
	}
	if !porcupine.CheckOperations(oneObject, history) {
		t.Errorf("no order of the operations explains their results:\n%+v", history)
	}
}

// listUntil lists until done is closed.
func listUntil(t *testing.T, s *testStore, done <-chan struct{}) []*example.PodList {
	t.Helper()
	var lists []*example.PodList
	for {
		select {
		case <-done:
			return lists
		default:
		}
		list := &example.PodList{}
		if err := s.GetList(t.Context(), "/pods/", withDefaults(storage.ListOptions{}), list); err != nil {
			t.Error(err)
			return lists
		}
		lists = append(lists, list)
	}
}

// readUntil returns the events of a watch up to a revision, all of which are writes.
func readUntil(t *testing.T, w watch.Interface, revision int64) []watch.Event {
	t.Helper()
	var events []watch.Event
	for last := int64(firstRevision); last < revision; {
		event, _ := nextEvent(t, w)
		pod, ok := event.Object.(*example.Pod)
		if !ok || revisionOf(t, pod) != last+1 {
			t.Fatalf("%s event with %+v after %d, want the next write", event.Type, event.Object, last)
		}
		last++
		events = append(events, event)
	}
	return events
}

// checkLists checks that each list equals the state after the events up to its revision.
func checkLists(t *testing.T, events []watch.Event, lists []*example.PodList) {
	t.Helper()
	slices.SortStableFunc(lists, func(a, b *example.PodList) int { return int(listRevision(t, a) - listRevision(t, b)) })
	state, next := map[string]example.Pod{}, 0
	for _, list := range lists {
		for next < int(listRevision(t, list))-firstRevision {
			pod, _ := events[next].Object.(*example.Pod)
			if events[next].Type == watch.Deleted {
				delete(state, pod.Name)
			} else {
				state[pod.Name] = *pod
			}
			next++
		}
		listed := map[string]example.Pod{}
		for _, pod := range list.Items {
			listed[pod.Name] = pod
		}
		if diff := cmp.Diff(state, listed); diff != "" {
			t.Errorf("list at %s (-by the watch +list):\n%s", list.ResourceVersion, diff)
		}
	}
}

func listRevision(t *testing.T, list *example.PodList) int64 {
	t.Helper()
	revision, err := strconv.ParseInt(list.ResourceVersion, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return revision
}
