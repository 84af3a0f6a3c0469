package blobstore_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/internal/store/blobstore"
)

func TestRecords(t *testing.T) {
	dir := t.TempDir()
	v := open(t, dir)
	put := func(key, value string) blobstore.Change {
		return blobstore.Change{Table: "letters", Key: []byte(key), Value: []byte(value)}
	}
	commit(t, v, []blobstore.Change{put("b", "2"), put("a", "1"), put("c", "3"), {Table: "others", Key: []byte("x"), Value: []byte{}}})
	commit(t, v, []blobstore.Change{put("a", "one"), {Table: "letters", Key: []byte("b")}, {Table: "letters", Key: []byte("never")}})
	commit(t, v, []blobstore.Change{put("d", "4"), {Table: "letters", Key: []byte("d")}})
	shut(t, v)

	again := open(t, dir)
	for table, want := range map[string][]string{"letters": {"a=one", "c=3"}, "others": {"x="}, "none": nil} {
		var got []string
		err := again.Load(table, func(key, value []byte) error {
			got = append(got, string(key)+"="+string(value))
			return nil
		})
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("table %s: %v, -want, +got:\n%s", table, err, diff)
		}
	}
	enough := errors.New("enough")
	if err := again.Load("letters", func(_, _ []byte) error { return enough }); !errors.Is(err, enough) {
		t.Errorf("Load() = %v, want the error of the function", err)
	}
}

// TestRejected expects that a bad change is rejected alone, and stores nothing.
func TestRejected(t *testing.T) {
	v := open(t, t.TempDir())
	good := blobstore.Change{Table: "things", Key: []byte("k"), Value: []byte("v")}
	tests := map[string]blobstore.Batch{
		"NoTable": {Changes: []blobstore.Change{good, {Key: []byte("k")}}},
		"NoKey":   {Changes: []blobstore.Change{good, {Table: "things"}}},
		"LongKey": {Changes: []blobstore.Change{good, {Table: "things", Key: []byte(strings.Repeat("k", 1<<15+1))}}},
		"Foreign": {Changes: []blobstore.Change{good}, Blobs: []blobstore.Blob{seal(t, blobstore.NewMemory(), []byte("x"))}},
	}
	for name, batch := range tests {
		if err := v.Commit(batch); err == nil {
			t.Errorf("%s: Commit() has no error", name)
		}
	}
	if err := v.Load("things", func(key, _ []byte) error { return errors.New(string(key)) }); err != nil {
		t.Errorf("record %v has been stored", err)
	}
}

// TestGroup expects that commits during a transaction share the next one, and its error.
func TestGroup(t *testing.T) {
	for name, fault := range map[string]error{"Succeeds": nil, "Fails": errors.New("disk is on fire")} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			synctest.Test(t, func(t *testing.T) { testGroup(t, dir, fault) })
			stored := loaded(t, open(t, dir))
			want := 0
			if fault == nil {
				want = callers
			}
			if got := len(stored) - 1; got != want {
				t.Errorf("%d records of the group are stored, want %d", got, want)
			}
		})
	}
}

const callers = 16

func testGroup(t *testing.T, dir string, fault error) {
	t.Helper()
	v, err := blobstore.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	gate := make(chan struct{})
	var transactions int
	v.Interpose(func(run func() error) error {
		<-gate
		transactions++
		if transactions == 2 && fault != nil {
			return fault
		}
		return run()
	})
	var all sync.WaitGroup
	all.Go(func() {
		b := seal(t, v, nil)
		commit(t, v, []blobstore.Change{change("first", b)}, b)
	})
	synctest.Wait() // until its transaction is at the gate
	var mu sync.Mutex
	var errs []error
	for i := range callers {
		all.Go(func() {
			b := seal(t, v, content(i, 100<<(i%12)))
			err := v.Commit(blobstore.Batch{Changes: []blobstore.Change{change(fmt.Sprint(i), b)}, Blobs: []blobstore.Blob{b}})
			if err != nil {
				b.Release()
			}
			mu.Lock()
			defer mu.Unlock()
			errs = append(errs, err)
		})
	}
	synctest.Wait() // until they wait for the first transaction to end
	close(gate)
	all.Wait()
	if transactions != 2 {
		t.Errorf("%d callers have taken %d transactions, want one", callers, transactions-1)
	}
	for _, err := range errs {
		if !errors.Is(err, fault) || errors.Is(err, blobstore.ErrBroken) {
			t.Errorf("Commit() = %v, want %v", err, fault)
		}
	}
	if left := files(t, dir); fault != nil && len(left) > 0 {
		t.Errorf("there are files left: %v", left)
	}
	shut(t, v)
}

// TestClosed expects that nothing is accepted after Close, and that Close waits.
func TestClosed(t *testing.T) {
	for name, v := range both(t) {
		t.Run(name, func(t *testing.T) { testClose(t, v) })
	}
	d := open(t, t.TempDir())
	small, unfinished := seal(t, d, []byte("small")), d.Create()
	commit(t, d, nil, small)
	shut(t, d)
	if _, err := small.Open(0, 5); !errors.Is(err, blobstore.ErrClosed) {
		t.Errorf("Open() = %v, want %v", err, blobstore.ErrClosed)
	}
	if err := d.Load("t", nil); !errors.Is(err, blobstore.ErrClosed) {
		t.Errorf("Load() = %v, want %v", err, blobstore.ErrClosed)
	}
	if _, err := unfinished.Seal(); !errors.Is(err, blobstore.ErrClosed) {
		t.Errorf("Seal() = %v, want %v", err, blobstore.ErrClosed)
	}
}

func testClose(t *testing.T, v blobstore.Store) {
	t.Helper()
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			var err error
			for err == nil {
				err = v.Commit(blobstore.Batch{Changes: []blobstore.Change{{Table: "t", Key: []byte("k"), Value: []byte("v")}}})
			}
			if !errors.Is(err, blobstore.ErrClosed) {
				t.Errorf("Commit() = %v, want %v", err, blobstore.ErrClosed)
			}
		})
	}
	shut(t, v)
	all.Wait()
	if err := v.Close(); !errors.Is(err, blobstore.ErrClosed) {
		t.Errorf("Close() again = %v, want %v", err, blobstore.ErrClosed)
	}
}

func TestInUse(t *testing.T) {
	dir := t.TempDir()
	open(t, dir)
	if _, err := blobstore.Open(dir); err == nil || !strings.Contains(err.Error(), "store.db is in use") {
		t.Errorf("Open() of a store in use = %v", err)
	}
}
