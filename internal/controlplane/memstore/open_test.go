package memstore

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apiserver/pkg/apis/example"
	"k8s.io/apiserver/pkg/storage"
)

func mustOpen(t *testing.T, dir string, options Options) *testStore {
	t.Helper()
	options.DetectMutations = true
	store, err := Open(dir, options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	return openTestStore(t, store, nil)
}

// killed returns a directory as a process leaves it that is killed now, and does not save a snapshot.
func killed(t *testing.T, s *testStore, dir string) string {
	t.Helper()
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	left := t.TempDir()
	if err := os.CopyFS(left, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	return left
}

func (s *testStore) mustFold(t *testing.T) {
	t.Helper()
	if err := s.store.fold(); err != nil {
		t.Fatal(err)
	}
}

func podsOf(t *testing.T, s *testStore) []example.Pod {
	t.Helper()
	return s.mustList(t, storage.ListOptions{}).Items
}

// writer writes into the store of a test.
type writer struct {
	*testing.T
	*testStore
}

// TestOpen: a new store restores all answered writes, and reuses no resource version.
func TestOpen(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		writes func(writer)
	}{
		{"nothing", func(writer) {}},
		{"creations", func(w writer) {
			w.mustCreate(w.T, newPod("a"), 0)
			w.mustCreate(w.T, newPod("b"), 100)
		}},
		{"update", func(w writer) { w.mustCreate(w.T, newPod("a"), 0); w.mustLabel(w.T, "a", "new") }},
		{"deletion", func(w writer) {
			w.mustCreate(w.T, newPod("a"), 100)
			w.mustCreate(w.T, newPod("b"), 0)
			w.mustDelete(w.T, "a")
		}},
		{"before and after a snapshot", func(w writer) {
			w.mustCreate(w.T, newPod("a"), 100)
			w.mustCreate(w.T, newPod("b"), 0)
			w.mustFold(w.T)
			w.mustDelete(w.T, "a")
			w.mustLabel(w.T, "b", "new")
		}},
		{"snapshot, and nothing after it", func(w writer) { w.mustCreate(w.T, newPod("a"), 0); w.mustFold(w.T) }},
		{"snapshot that the logs outlive", func(w writer) {
			w.mustCreate(w.T, newPod("a"), 0)
			w.mustLabel(w.T, "a", "new")
			if err := w.store.Snapshot().saveIn(w.store.log.dir); err != nil {
				w.Fatal(err)
			}
			w.mustDelete(w.T, "a")
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			first := mustOpen(t, dir, Options{})
			test.writes(writer{t, first})
			want, revision := podsOf(t, first), first.store.Revision()
			expect := func(how string, s *testStore) {
				if diff := cmp.Diff(want, podsOf(t, s)); diff != "" {
					t.Errorf("%s: objects (-before +after):\n%s", how, diff)
				}
				if got := revisionOf(t, s.mustCreate(t, newPod("next"), 0)); got <= revision {
					t.Errorf("%s: the next version is %d, and %d was given before", how, got, revision)
				}
			}
			left := killed(t, first, dir)
			expect("killed", mustOpen(t, left, Options{}))
			if err := first.store.Reopen(); err != nil {
				t.Fatal(err)
			}
			expect("reopened", first)
			want, revision = podsOf(t, first), first.store.Revision()
			first.store.Close()
			if err := first.store.Reopen(); !errors.Is(err, errClosed) {
				t.Errorf("reopened after Close: %v", err)
			}
			want = slices.DeleteFunc(want, func(p example.Pod) bool { return p.Name == "next" })
			second := mustOpen(t, dir, Options{})
			second.mustDelete(t, "next")
			expect("closed", second)
		})
	}
}

// TestOpenWhileWritten: a process is killed between any two writes of many clients.
func TestOpenWhileWritten(t *testing.T) {
	dir := t.TempDir()
	s := mustOpen(t, dir, Options{})
	var answered sync.Map
	var clients sync.WaitGroup
	for client := range 4 {
		clients.Go(func() {
			for i := range 100 {
				name := fmt.Sprintf("pod-%d-%d", client, i)
				if err := s.Create(t.Context(), podKey(name), newPod(name), nil, 0); err != nil {
					t.Error(err)
					return
				}
				answered.Store(name, true)
			}
		})
	}
	for i := range 5 {
		awaitAnswers(t, &answered, i*50)
		var want []string
		answered.Range(func(name, _ any) bool { want = append(want, fmt.Sprint(name)); return true })
		s.mustFold(t)
		left := killed(t, s, dir)
		after := map[string]bool{}
		for _, pod := range podsOf(t, mustOpen(t, left, Options{})) {
			after[pod.Name] = true
		}
		for _, name := range want {
			if !after[name] {
				t.Errorf("%s was answered, and is lost", name)
			}
		}
	}
	clients.Wait()
}

// TestReopenWhileWritten: clients write while the store reads its directory again, and saves snapshots.
func TestReopenWhileWritten(t *testing.T) {
	t.Parallel()
	s := mustOpen(t, t.TempDir(), Options{LogBytes: 1 << 10})
	var clients sync.WaitGroup
	for client := range 4 {
		clients.Go(func() {
			for i := range 50 {
				name := fmt.Sprintf("pod-%d-%d", client, i)
				if err := s.Create(t.Context(), podKey(name), newPod(name), nil, 0); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for range 20 {
		s.mustFold(t)
		if err := s.store.Reopen(); err != nil {
			t.Error(err)
		}
	}
	clients.Wait()
	if got := len(podsOf(t, s)); got != 4*50 {
		t.Errorf("%d objects, want all %d that were answered", got, 4*50)
	}
}

// TestReopenEndsWatches: a watch does not go on over events that it may have missed.
func TestReopenEndsWatches(t *testing.T) {
	t.Parallel()
	s := mustOpen(t, t.TempDir(), Options{})
	w := s.mustWatch(t, storage.ListOptions{})
	if err := s.store.Reopen(); err != nil {
		t.Fatal(err)
	}
	wantExpired(t, w)
}

func awaitAnswers(t *testing.T, answered *sync.Map, n int) {
	t.Helper()
	waitFor(t, func() bool {
		count := 0
		answered.Range(func(any, any) bool { count++; return true })
		return count >= n
	})
}

// TestOpenDamaged: half a line at the end was never answered; all else is an error.
func TestOpenDamaged(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		damage func(log string) string
		want   string // the pods, or in the error
	}{
		{"half a line at the end", func(log string) string { return log + `{"revision":5,"ke` }, "a b c"},
		{"half a line with its end", func(log string) string { return log + "{\"revision\":5,\n" }, "a b c"},
		{"line lost", func(log string) string { return log[strings.Index(log, "\n")+1:] }, "line 1: revision 3 follows revision 1"},
		{"line damaged", func(log string) string { return strings.Replace(log, `"key"`, `"k`, 1) }, "line 1: invalid character"},
		{"no key", func(log string) string { return `{"revision":2}` + "\n" + log }, "line 1: the key is empty"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			s := mustOpen(t, dir, Options{})
			for _, name := range []string{"a", "b", "c"} {
				s.mustCreate(t, newPod(name), 0)
			}
			left := killed(t, s, dir)
			log := logName(left, firstRevision)
			content, err := os.ReadFile(log)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(log, []byte(test.damage(string(content))), 0o600); err != nil {
				t.Fatal(err)
			}
			store, err := Open(left, Options{})
			if err != nil {
				if got := err.Error(); !strings.Contains(got, test.want) || !strings.Contains(got, log) {
					t.Errorf("error %q, want one with the file and %q", got, test.want)
				}
				return
			}
			t.Cleanup(store.Close)
			var names []string
			for _, pod := range podsOf(t, openTestStore(t, store, nil)) {
				names = append(names, pod.Name)
			}
			if got := strings.Join(names, " "); got != test.want {
				t.Errorf("pods %q, want %q", got, test.want)
			}
		})
	}
}

// TestLogFails: a write that cannot be kept is no write.
func TestLogFails(t *testing.T) {
	dir := t.TempDir()
	s := mustOpen(t, dir, Options{})
	s.mustCreate(t, newPod("a"), 100)
	want := podsOf(t, s)
	if err := s.store.log.file.Close(); err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	for what, err := range map[string]error{
		"create": s.Create(ctx, podKey("b"), newPod("b"), nil, 0),
		"update": s.label(ctx, "a", "new", &example.Pod{}),
		"delete": s.Delete(ctx, podKey("a"), &example.Pod{}, nil, storage.ValidateAllObjectFunc, nil, storage.DeleteOptions{}),
	} {
		if err == nil || !strings.Contains(err.Error(), "keep the objects of the API server") {
			t.Errorf("%s: error %v", what, err)
		}
	}
	if diff := cmp.Diff(want, podsOf(t, s)); diff != "" {
		t.Errorf("objects (-before +after):\n%s", diff)
	}
}

// TestLogIsFolded: a snapshot replaces a full log, and Close saves one.
func TestLogIsFolded(t *testing.T) {
	dir := t.TempDir()
	s := mustOpen(t, dir, Options{LogBytes: 1000})
	s.mustCreate(t, newPod("a"), 0)
	for i := range 100 {
		s.mustLabel(t, "a", fmt.Sprint(i))
	}
	waitFor(t, func() bool {
		s.mustLabel(t, "a", "again")
		names, err := logNames(dir)
		return err == nil && len(names) == 1 && names[0] != logName(dir, firstRevision)
	})
	s.store.Close()
	snapshot, err := readSnapshot(filepath.Join(dir, SnapshotFile))
	if err != nil {
		t.Fatal(err)
	}
	if snapshot.Revision() != s.store.Revision() {
		t.Errorf("the snapshot is at %d, and the store at %d", snapshot.Revision(), s.store.Revision())
	}
	if err := s.label(t.Context(), "a", "late", &example.Pod{}); err == nil {
		t.Error("a write after Close succeeds")
	}
}

// BenchmarkKeep is the price of a directory.
func BenchmarkKeep(b *testing.B) {
	for _, kept := range []bool{false, true} {
		name := "memory"
		if kept {
			name = "directory"
		}
		b.Run(name, func(b *testing.B) {
			store := New(Options{})
			if kept {
				var err error
				if store, err = Open(b.TempDir(), Options{}); err != nil {
					b.Fatal(err)
				}
			}
			defer store.Close()
			h := &history{options: &store.options}
			data := []byte(strings.Repeat("x", 2000))
			start := time.Now()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					rec := &record{key: fmt.Sprint(time.Since(start), &pb), data: data}
					if _, err := store.put(h, rec, nil, 0, func(int64) error { return nil }); err != nil {
						b.Error(err)
					}
				}
			})
		})
	}
}
