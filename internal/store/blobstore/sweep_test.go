package blobstore_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/cosi-emu/cosi-emu/internal/store/blobstore"
)

const large = 100 << 10

// TestInline lists the blobs in the database that have a reference.
func TestInline(t *testing.T) {
	v := open(t, t.TempDir())
	if err := v.Sweep(); err != nil {
		t.Fatal(err)
	}
	inline := func(reason string, want ...blobstore.BlobID) {
		t.Helper()
		got, err := v.Inline()
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); err != nil || diff != "" {
			t.Errorf("%s: Inline() has error %v (-want +got):\n%s", reason, err, diff)
		}
	}
	kept, lost := seal(t, v, content(1, 10)), seal(t, v, content(2, 10))
	inline("nothing is stored")
	commit(t, v, nil, kept, lost, seal(t, v, content(3, large)))
	inline("the large blob is a file", kept.ID(), lost.ID())
	lost.Release()
	inline("one is garbage", kept.ID())
	v.Interpose(func(run func() error) error {
		inline("a transaction is about to delete it", kept.ID())
		err := run()
		inline("the transaction has deleted it", kept.ID())
		return err
	})
	commit(t, v, nil, seal(t, v, content(4, large)))
	inline("it is deleted", kept.ID())
	v.Interpose(func(func() error) error { return errors.New("the disk is full") })
	kept.Release()
	if err := v.Commit(blobstore.Batch{Changes: []blobstore.Change{remove("small")}}); err == nil {
		t.Error("Commit() has no error")
	}
	inline("what was not deleted stays garbage")
	shut(t, v)
	if _, err := v.Inline(); !errors.Is(err, blobstore.ErrClosed) {
		t.Errorf("Inline() after Close() has error %v, want ErrClosed", err)
	}
}

// TestSweep opens stores in which blobs have no records, as after a crash, and expects them to be
// deleted, and the others to stay.
func TestSweep(t *testing.T) {
	dir := t.TempDir()
	v := open(t, dir)
	kept := []blobstore.Blob{seal(t, v, content(1, 10)), seal(t, v, content(2, large))}
	lost := []blobstore.Blob{seal(t, v, content(3, 10)), seal(t, v, content(4, large))}
	commit(t, v, []blobstore.Change{change("small", kept[0]), change("large", kept[1]), change("again", kept[1])}, kept...)
	commit(t, v, nil, lost...)
	seal(t, v, content(5, large)) // never committed
	foreign := filepath.Join(dir, "blobs", "README")
	if err := os.WriteFile(foreign, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	shut(t, v)

	again := open(t, dir)
	things := loaded(t, again)
	expect(t, things["small"], content(1, 10))
	expect(t, things["large"], content(2, large))
	if things["large"] != things["again"] {
		t.Error("two records of one blob have got different ones")
	}
	if got := len(files(t, dir)); got != 2 {
		t.Errorf("there are %d files, want that of the large blob and the foreign one", got)
	}
	if _, err := again.Blob(kept[0].ID()); err == nil {
		t.Error("Blob() after Sweep() has no error")
	}
	if err := again.Sweep(); err == nil {
		t.Error("Sweep() again has no error")
	}
	fresh := seal(t, again, content(6, large))
	for _, b := range things {
		if fresh.ID() == b.ID() {
			t.Error("a new blob has the ID of another")
		}
	}
	shut(t, again)

	last := open(t, dir)
	for _, b := range lost {
		if _, err := last.Blob(b.ID()); !errors.Is(err, blobstore.ErrDamaged) {
			t.Errorf("Blob() of what has been swept = %v, want %v", err, blobstore.ErrDamaged)
		}
	}
}

// TestRelease expects that a blob exists exactly until its last reference is released.
func TestRelease(t *testing.T) {
	for name, size := range map[string]int{"Small": 10, "Large": large} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			v := open(t, dir)
			b := seal(t, v, content(1, size))
			id := b.ID()
			commit(t, v, []blobstore.Change{change("a", b), change("b", b)}, b)
			b.Retain() // for the second record
			commit(t, v, []blobstore.Change{remove("a")})
			b.Release()
			expect(t, b, content(1, size))

			b.Retain() // for a reader
			r, err := b.Open(0, b.Size())
			if err != nil {
				t.Fatal(err)
			}
			commit(t, v, []blobstore.Change{remove("b")})
			b.Release()
			if got, err := io.ReadAll(r); err != nil || !cmp.Equal(got, content(1, size)) {
				t.Errorf("a reader that is open gets %d bytes, %v", len(got), err)
			}
			if err := r.Close(); err != nil {
				t.Error(err)
			}
			b.Release()
			if left := files(t, dir); len(left) > 0 {
				t.Errorf("there are files left: %v", left)
			}
			shut(t, v)
			if _, err := open(t, dir).Blob(id); !errors.Is(err, blobstore.ErrDamaged) || errors.Is(err, fs.ErrNotExist) {
				t.Errorf("Blob() = %v, want %v, and that it is not in the catalogue", err, blobstore.ErrDamaged)
			}
		})
	}
}

// TestGarbage releases more blobs than one transaction removes, and expects that most of them are
// deleted without another commit.
func TestGarbage(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		v, err := blobstore.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		blobs := make([]blobstore.Blob, 10_000)
		for i := range blobs {
			blobs[i] = seal(t, v, content(i, 10))
		}
		commit(t, v, nil, blobs...)
		for _, b := range blobs {
			b.Release()
		}
		synctest.Wait() // until there is nothing more to do
		if got := v.Garbage(); got >= 1024 {
			t.Errorf("%d of %d blobs still wait to be removed", got, len(blobs))
		}
		shut(t, v)
		again, err := blobstore.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer shut(t, again)
		for _, b := range blobs {
			if _, err := again.Blob(b.ID()); !errors.Is(err, blobstore.ErrDamaged) {
				t.Fatalf("Blob(%d) = %v, want %v", b.ID(), err, blobstore.ErrDamaged)
			}
		}
	})
}

func TestOverReleased(t *testing.T) {
	b := seal(t, open(t, t.TempDir()), []byte("x"))
	b.Release()
	defer func() {
		if recover() == nil {
			t.Error("a blob can be released twice")
		}
	}()
	b.Release()
}

func TestModes(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "data")
	v := open(t, dir)
	b := seal(t, v, content(1, large))
	commit(t, v, []blobstore.Change{change("k", b)}, b)
	for path, want := range map[string]os.FileMode{
		"": 0o700, "blobs": 0o700, "store.db": 0o600, filepath.Join("blobs", files(t, dir)[0]): 0o600,
	} {
		info, err := os.Stat(filepath.Join(dir, path))
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%q has mode %v, %v; want %v", path, info.Mode(), err, want)
		}
	}
}
