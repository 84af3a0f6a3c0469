package memstore

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/apiserver/pkg/apis/example"
	"k8s.io/apiserver/pkg/storage"
	testingclock "k8s.io/utils/clock/testing"
)

func TestSaveAndLoad(t *testing.T) {
	original := newTestStore(t, nil)
	for _, name := range []string{"a", "b", "c"} {
		pod := newPod(name)
		pod.UID = types.UID("uid-of-" + name)
		original.mustCreate(t, pod, 0)
	}
	original.mustLabel(t, "b", "changed")
	original.mustDelete(t, "c")
	want := original.mustList(t, storage.ListOptions{})
	var saved bytes.Buffer
	if err := original.store.Save(&saved); err != nil {
		t.Fatal(err)
	}

	tests := []struct {
		name   string
		served bool
	}{
		{"before the resource is served", false},
		{"while it is served", true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			store := New(Options{DetectMutations: true})
			t.Cleanup(store.Close)
			if test.served {
				s := openTestStore(t, store, nil)
				s.mustCreate(t, newPod("gone"), 0)
				s.mustCreate(t, newPod("a"), 0)
			}
			load(t, store, saved.Bytes())
			s := openTestStore(t, store, nil)
			if diff := cmp.Diff(want, s.mustList(t, storage.ListOptions{})); diff != "" {
				t.Errorf("objects (-saved +loaded):\n%s", diff)
			}
			wantExpired(t, s.mustWatch(t, storage.ListOptions{ResourceVersion: want.Items[0].ResourceVersion}))
			w := s.mustWatch(t, storage.ListOptions{ResourceVersion: want.ResourceVersion})
			updated := s.mustLabel(t, "a", "after")
			if got := revisionOf(t, updated); got != original.store.Revision()+1 {
				t.Errorf("the next resource version is %d, want %d", got, original.store.Revision()+1)
			}
			if kind, pod := nextPod(t, w); kind != watch.Modified || pod.ResourceVersion != updated.ResourceVersion {
				t.Errorf("%s event at %s, want MODIFIED at %s", kind, pod.ResourceVersion, updated.ResourceVersion)
			}
			old := storage.ListOptions{ResourceVersion: want.Items[0].ResourceVersion, ResourceVersionMatch: "Exact"}
			if err := s.GetList(t.Context(), "/pods/", withDefaults(old), &example.PodList{}); err == nil {
				t.Error("a list at a resource version before the snapshot succeeded")
			}
		})
	}
}

func load(t *testing.T, store *Store, saved []byte) {
	t.Helper()
	if err := store.Load(bytes.NewReader(saved)); err != nil {
		t.Fatal(err)
	}
}

// Stores that go on from one snapshot do not see each other's writes, nor does it.
func TestRestoreIsACopy(t *testing.T) {
	original := newTestStore(t, nil)
	original.mustCreate(t, newPod("a"), 0)
	snapshot := original.store.Snapshot()
	original.mustCreate(t, newPod("b"), 0)
	watching := original.mustWatch(t, storage.ListOptions{})

	other := newTestStore(t, nil)
	other.store.Restore(snapshot)
	other.mustCreate(t, newPod("c"), 0)
	other.mustDelete(t, "a")
	original.store.Restore(snapshot)
	wantExpired(t, watching)

	names := func(s *testStore) []string {
		var names []string
		for _, pod := range s.mustList(t, storage.ListOptions{}).Items {
			names = append(names, pod.Name)
		}
		return names
	}
	if diff := cmp.Diff([][]string{{"a"}, {"c"}}, [][]string{names(original), names(other)}); diff != "" {
		t.Errorf("objects of both stores (-want +got):\n%s", diff)
	}
	if got := original.store.Revision(); got != snapshot.Revision() {
		t.Errorf("the restored store is at %d, want %d", got, snapshot.Revision())
	}
}

// A client that knows of a write that was lost starts anew.
func TestBump(t *testing.T) {
	s := newTestStore(t, nil)
	s.mustCreate(t, newPod("a"), 0)
	snapshot := s.store.Snapshot()
	lost := s.mustCreate(t, newPod("lost"), 0)
	snapshot.Bump(1000)
	s.store.Restore(snapshot)
	wantExpired(t, s.mustWatch(t, storage.ListOptions{ResourceVersion: lost.ResourceVersion}))
	if created := s.mustCreate(t, newPod("b"), 0); revisionOf(t, created) != snapshot.Revision()+1 {
		t.Errorf("created at %s, want %d", created.ResourceVersion, snapshot.Revision()+1)
	}
}

func TestSnapshotKeepsExpiry(t *testing.T) {
	clock := testingclock.NewFakeClock(time.Now())
	original := newTestStoreWith(t, nil, Options{Clock: clock})
	original.mustCreate(t, newPod("pod"), 100)
	waitFor(t, func() bool { return hasTimer(original.store, clock) })
	clock.Step(99 * time.Second)
	var saved bytes.Buffer
	if err := original.store.Save(&saved); err != nil {
		t.Fatal(err)
	}
	original.store.Close()

	later := testingclock.NewFakeClock(clock.Now().Add(time.Hour))
	s := newTestStoreWith(t, nil, Options{Clock: later})
	load(t, s.store, saved.Bytes())
	w := s.mustWatch(t, storage.ListOptions{})
	if kind, _ := nextPod(t, w); kind != watch.Added {
		t.Fatalf("%s event, want ADDED", kind)
	}
	waitFor(t, func() bool { return hasTimer(s.store, later) })
	later.Step(time.Second)
	if kind, _ := nextPod(t, w); kind != watch.Deleted {
		t.Errorf("%s event, want DELETED", kind)
	}
}

func TestLoadRejects(t *testing.T) {
	header := `{"format":"` + snapshotFormat + `","revision":7,"objects":%d}` + "\n"
	tests := []struct {
		name, saved, want string
	}{
		{"nothing", "", "header"},
		{"something else", "PK\x03\x04", "header"},
		{"another format", `{"format":"memstore/v0","revision":7}`, `"memstore/v0"`},
		{"no revision", `{"format":"` + snapshotFormat + `"}`, "revision 0"},
		{"too few objects", fmt.Sprintf(header, 1), "object 1 of 1"},
		{"half an object", fmt.Sprintf(header, 1) + `{"key":"/a"`, "object 1 of 1"},
		{"no key", fmt.Sprintf(header, 1) + `{"revision":1}`, `key ""`},
		{"no revision of an object", fmt.Sprintf(header, 1) + `{"key":"/a"}`, "revision 0"},
		{"an object of the future", fmt.Sprintf(header, 1) + `{"key":"/a","revision":8}`, "revision 8"},
		{"an object twice", fmt.Sprintf(header, 2) + `{"key":"/a","revision":1}{"key":"/a","revision":2}`, "twice"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := newTestStore(t, nil)
			s.mustCreate(t, newPod("pod"), 0)
			err := s.store.Load(strings.NewReader(test.saved))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want one with %q", err, test.want)
			}
			if list := s.mustList(t, storage.ListOptions{}); len(list.Items) != 1 {
				t.Error("what cannot be loaded has changed the store")
			}
		})
	}
}

func TestSaveFails(t *testing.T) {
	s := newTestStore(t, nil)
	s.mustCreate(t, newPod("pod"), 0)
	if err := s.store.Save(fullDisk{}); !errors.Is(err, errFull) {
		t.Errorf("error %v, want %v", err, errFull)
	}
}

var errFull = errors.New("no space left on device")

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errFull }

func FuzzLoad(f *testing.F) {
	f.Add([]byte(`{"format":"` + snapshotFormat + `","revision":7,"objects":1}{"key":"/pods/ns/a","revision":3,"data":"e30=","left":5}`))
	f.Add([]byte(`{"format":"` + snapshotFormat + `","revision":7,"objects":-1}`))
	f.Fuzz(func(t *testing.T, saved []byte) {
		snapshot, err := LoadSnapshot(bytes.NewReader(saved))
		if err != nil {
			return
		}
		var again bytes.Buffer
		if err := snapshot.Save(&again); err != nil {
			t.Fatal(err)
		}
		reloaded, err := LoadSnapshot(&again)
		if err != nil {
			t.Fatalf("a snapshot that was loaded and saved cannot be loaded: %v", err)
		}
		if diff := cmp.Diff(contents(t, snapshot), contents(t, reloaded)); diff != "" {
			t.Errorf("objects (-loaded +saved and loaded):\n%s", diff)
		}
	})
}

// contents returns the contents of a snapshot, one object a line.
func contents(t *testing.T, s *Snapshot) []string {
	t.Helper()
	lines := []string{fmt.Sprint(s.revision)}
	s.records.Ascend(func(rec *record) bool {
		line, err := json.Marshal(snapshotObject{Key: rec.key, Revision: rec.revision, Data: rec.data, Left: s.expiry[rec]})
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, string(line))
		return true
	})
	return lines
}
