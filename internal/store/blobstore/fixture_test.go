package blobstore_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/cosi-emu/cosi-emu/internal/store/blobstore"
)

func open(tb testing.TB, dir string) *blobstore.Disk {
	tb.Helper()
	d, err := blobstore.Open(dir)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = d.Close() }) // the test may have closed it
	return d
}

func shut(tb testing.TB, v blobstore.Store) {
	tb.Helper()
	if err := v.Close(); err != nil {
		tb.Fatal(err)
	}
}

// content returns random bytes that depend on the seed only.
func content(seed, size int) []byte {
	var key [32]byte
	copy(key[:], strconv.Itoa(seed))
	made := make([]byte, size)
	_, _ = rand.NewChaCha8(key).Read(made) // never returns an error
	return made
}

func seal(tb testing.TB, v blobstore.Store, bytes []byte) blobstore.Blob {
	tb.Helper()
	w := v.Create()
	defer w.Abort()
	if _, err := w.Write(bytes); err != nil {
		tb.Fatal(err)
	}
	b, err := w.Seal()
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

func read(tb testing.TB, b blobstore.Blob, offset, length int64) []byte {
	tb.Helper()
	r, err := b.Open(offset, length)
	if err != nil {
		tb.Fatal(err)
	}
	got, err := io.ReadAll(struct{ io.Reader }{r})
	if err != nil {
		tb.Fatal(err)
	}
	if err := r.Close(); err != nil {
		tb.Fatal(err)
	}
	return got
}

func change(key string, b blobstore.Blob) blobstore.Change {
	return blobstore.Change{Table: "things", Key: []byte(key), Value: binary.BigEndian.AppendUint64(nil, uint64(b.ID()))}
}

func remove(key string) blobstore.Change { return blobstore.Change{Table: "things", Key: []byte(key)} }

func commit(tb testing.TB, v blobstore.Store, changes []blobstore.Change, blobs ...blobstore.Blob) {
	tb.Helper()
	if err := v.Commit(blobstore.Batch{Changes: changes, Blobs: blobs}); err != nil {
		tb.Fatal(err)
	}
}

// load claims the blobs of all records and sweeps.
func load(v blobstore.Store) (map[string]blobstore.Blob, error) {
	things := map[string]blobstore.Blob{}
	err := v.Load("things", func(key, value []byte) error {
		b, err := v.Blob(blobstore.BlobID(binary.BigEndian.Uint64(value)))
		things[string(key)] = b
		return err
	})
	if err != nil {
		return nil, err
	}
	return things, v.Sweep()
}

func loaded(tb testing.TB, v blobstore.Store) map[string]blobstore.Blob {
	tb.Helper()
	things, err := load(v)
	if err != nil {
		tb.Fatal(err)
	}
	return things
}

// expect compares a blob with what it should have.
func expect(tb testing.TB, b blobstore.Blob, want []byte) {
	tb.Helper()
	if b == nil {
		tb.Fatal("there is no such blob")
	}
	if got := read(tb, b, 0, b.Size()); !bytes.Equal(got, want) {
		tb.Errorf("blob %d has %d bytes that are not the %d that were written", b.ID(), len(got), len(want))
	}
}

func files(tb testing.TB, dir string) []string {
	tb.Helper()
	entries, err := os.ReadDir(filepath.Join(dir, "blobs"))
	if err != nil {
		tb.Fatal(err)
	}
	names := []string{}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// both returns a store of each kind.
func both(t *testing.T) map[string]blobstore.Store {
	t.Helper()
	return map[string]blobstore.Store{"Memory": blobstore.NewMemory(), "Disk": open(t, t.TempDir())}
}

func sizes(yield func(string, int) bool) {
	for _, size := range []int{0, 1, 1 << 10, 64<<10 - 1, 64 << 10, 64<<10 + 1, 128 << 10, 1 << 20, 3<<20 + 5} {
		if !yield(fmt.Sprint(size), size) {
			return
		}
	}
}
