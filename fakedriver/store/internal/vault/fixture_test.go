package vault_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/cosi-emu/cosi-emu/fakedriver/store/internal/vault"
)

// open opens a vault that is closed with the test.
func open(t testing.TB, dir string) *vault.Disk {
	t.Helper()
	d, err := vault.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() }) // the test may have closed it
	return d
}

func shut(t testing.TB, v vault.Vault) {
	t.Helper()
	if err := v.Close(); err != nil {
		t.Fatal(err)
	}
}

// content returns bytes that are random, and always the same for a seed.
func content(seed uint64, size int) []byte {
	var key [32]byte
	binary.BigEndian.PutUint64(key[:], seed)
	made := make([]byte, size)
	_, _ = rand.NewChaCha8(key).Read(made) // never returns an error
	return made
}

// seal makes a blob of some bytes.
func seal(t testing.TB, v vault.Vault, bytes []byte) vault.Blob {
	t.Helper()
	w := v.Create()
	defer w.Abort()
	if _, err := w.Write(bytes); err != nil {
		t.Fatal(err)
	}
	b, err := w.Seal()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func read(t testing.TB, b vault.Blob, offset, length int64) []byte {
	t.Helper()
	r, err := b.Open(offset, length)
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(struct{ io.Reader }{r})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	return got
}

// change returns the change of a record that refers to a blob.
func change(key string, b vault.Blob) vault.Change {
	return vault.Change{Table: "things", Key: []byte(key), Value: binary.BigEndian.AppendUint64(nil, uint64(b.ID()))}
}

func remove(key string) vault.Change { return vault.Change{Table: "things", Key: []byte(key)} }

func commit(t testing.TB, v vault.Vault, changes []vault.Change, blobs ...vault.Blob) {
	t.Helper()
	if err := v.Commit(vault.Batch{Changes: changes, Blobs: blobs}); err != nil {
		t.Fatal(err)
	}
}

// load claims the blobs of all records and sweeps.
func load(v vault.Vault) (map[string]vault.Blob, error) {
	things := map[string]vault.Blob{}
	err := v.Load("things", func(key, value []byte) error {
		b, err := v.Blob(vault.BlobID(binary.BigEndian.Uint64(value)))
		things[string(key)] = b
		return err
	})
	if err != nil {
		return nil, err
	}
	return things, v.Sweep()
}

func loaded(t testing.TB, v vault.Vault) map[string]vault.Blob {
	t.Helper()
	things, err := load(v)
	if err != nil {
		t.Fatal(err)
	}
	return things
}

// expect compares a blob with what it should have.
func expect(t testing.TB, b vault.Blob, want []byte) {
	t.Helper()
	if b == nil {
		t.Fatal("there is no such blob")
	}
	if got := read(t, b, 0, b.Size()); !bytes.Equal(got, want) {
		t.Errorf("blob %d has %d bytes that are not the %d that were written", b.ID(), len(got), len(want))
	}
}

// files returns the names of the blobs that are files.
func files(t testing.TB, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(dir, "blobs"))
	if err != nil {
		t.Fatal(err)
	}
	names := []string{}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// both runs a test with a vault of each kind.
func both(t *testing.T, test func(t *testing.T, v vault.Vault)) {
	t.Helper()
	t.Run("Memory", func(t *testing.T) { test(t, vault.InMemory()) })
	t.Run("Disk", func(t *testing.T) { test(t, open(t, t.TempDir())) })
}

func sizes(yield func(string, int) bool) {
	for _, size := range []int{0, 1, 1 << 10, 64<<10 - 1, 64 << 10, 64<<10 + 1, 128 << 10, 1 << 20, 3<<20 + 5} {
		if !yield(fmt.Sprint(size), size) {
			return
		}
	}
}
