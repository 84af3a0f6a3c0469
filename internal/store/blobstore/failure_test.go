//go:build unix

package blobstore_test

import (
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"

	"github.com/cosi-emu/cosi-emu/internal/store/blobstore"
)

// TestUncertain: a store accepts nothing more when a transaction is in the file, but perhaps not on
// the disk; and removes nothing that may be needed.
func TestUncertain(t *testing.T) {
	dir := t.TempDir()
	v := open(t, dir)
	lost := errors.New("input/output error")
	v.Interpose(func(run func() error) error { return errors.Join(run(), lost) })
	b := seal(t, v, content(1, large))
	batch := blobstore.Batch{Changes: []blobstore.Change{change("k", b)}, Blobs: []blobstore.Blob{b}}
	if err := v.Commit(batch); !errors.Is(err, blobstore.ErrBroken) || !errors.Is(err, lost) {
		t.Errorf("Commit() = %v, want %v because of %v", err, blobstore.ErrBroken, lost)
	}
	b.Release()
	v.Interpose(func(run func() error) error { return run() })
	if err := v.Commit(batch); !errors.Is(err, blobstore.ErrBroken) {
		t.Errorf("Commit() again = %v, want %v", err, blobstore.ErrBroken)
	}
	shut(t, v)
	expect(t, loaded(t, open(t, dir))["k"], content(1, large))
}

// TestRolledBack: a store continues after a transaction that has certainly failed, and keeps the
// blobs that it would have removed.
func TestRolledBack(t *testing.T) {
	dir := t.TempDir()
	v := open(t, dir)
	old, dropped := seal(t, v, content(1, 10)), seal(t, v, content(3, 10))
	commit(t, v, []blobstore.Change{change("old", old)}, old, dropped)
	dropped.Release()
	failed := errors.New("no")
	v.Interpose(func(func() error) error { return failed })
	b := seal(t, v, content(2, large))
	if err := v.Commit(blobstore.Batch{Changes: []blobstore.Change{change("k", b)}, Blobs: []blobstore.Blob{b}}); !errors.Is(err, failed) {
		t.Fatalf("Commit() = %v, want %v", err, failed)
	}
	v.Interpose(func(run func() error) error { return run() })
	commit(t, v, []blobstore.Change{change("k", b)}, b)
	shut(t, v)
	again := open(t, dir)
	if _, err := again.Blob(dropped.ID()); !errors.Is(err, blobstore.ErrDamaged) {
		t.Errorf("Blob() = %v, want %v, for it has been released", err, blobstore.ErrDamaged)
	}
	things := loaded(t, again)
	expect(t, things["old"], content(1, 10))
	expect(t, things["k"], content(2, large))
}

const fullDir = "VAULT_TEST_FULL_DIR"

// TestFull writes to a full disk, which for a process is equivalent to a limit of the file size;
// the limit is permanent, so it is set in a process of its own.
func TestFull(t *testing.T) {
	dir := t.TempDir()
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestFullChild$", "-test.v") //nolint:gosec // this very program
	child.Env = append(os.Environ(), fullDir+"="+dir)
	out, err := child.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: TestFullChild") {
		t.Fatalf("%v: %s", err, out)
	}
	things := loaded(t, open(t, dir))
	if got := len(files(t, dir)); got != 1 {
		t.Errorf("there are %d files, want that of the last blob", got)
	}
	expect(t, things["before"], content(1, 1000))
	expect(t, things["after"], content(2, 4*limit))
}

const limit = 1 << 20

func TestFullChild(t *testing.T) {
	dir := os.Getenv(fullDir)
	if dir == "" {
		t.Skip("only of use to TestFull")
	}
	signal.Ignore(syscall.SIGXFSZ)
	v := open(t, dir)
	before := seal(t, v, content(1, 1000))
	commit(t, v, []blobstore.Change{change("before", before)}, before)
	allow := limitFiles(t)

	w := v.Create()
	if n, err := w.Write(content(2, 4*limit)); !errors.Is(err, syscall.EFBIG) {
		t.Errorf("Write() = %d, %v; want %v", n, err, syscall.EFBIG)
	}
	w.Abort()
	var err error
	for i := 0; err == nil; i++ {
		if i > limit {
			t.Fatal("the disk does not get full")
		}
		b := seal(t, v, content(i, 60_000))
		err = v.Commit(blobstore.Batch{Changes: []blobstore.Change{change("filler", b)}, Blobs: []blobstore.Blob{b}})
	}
	if errors.Is(err, blobstore.ErrBroken) || !strings.Contains(err.Error(), syscall.EFBIG.Error()) { // bbolt does not wrap it
		t.Errorf("Commit() = %v, want %v, and that the store continues", err, syscall.EFBIG)
	}
	expect(t, before, content(1, 1000))

	allow()
	after := seal(t, v, content(2, 4*limit))
	commit(t, v, []blobstore.Change{change("after", after), remove("filler")}, after)
	expect(t, before, content(1, 1000))
	shut(t, v)
}

// limitFiles limits the size of files, until the returned function is called.
func limitFiles(t *testing.T) func() {
	t.Helper()
	var rlimit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &rlimit); err != nil {
		t.Fatal(err)
	}
	set := func(r syscall.Rlimit) {
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &r); err != nil {
			t.Fatal(err)
		}
	}
	set(syscall.Rlimit{Cur: limit, Max: rlimit.Max})
	return func() { set(rlimit) }
}
