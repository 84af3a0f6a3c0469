package blobstore_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"
	"testing"
	"testing/iotest"

	"github.com/cosi-emu/cosi-emu/internal/store/blobstore"
)

// TestBlob writes blobs in several ways, and reads them as a whole and in part, before and after
// they are stored.
func TestBlob(t *testing.T) {
	ways := map[string]func(blobstore.Writer, []byte) error{
		"AtOnce": func(w blobstore.Writer, b []byte) error { _, err := w.Write(b); return err },
		"Bits": func(w blobstore.Writer, b []byte) error {
			for len(b) > 0 {
				n, err := w.Write(b[:min(len(b), 7001)])
				if err != nil {
					return err
				}
				b = b[n:]
			}
			return nil
		},
		"ReadFrom": func(w blobstore.Writer, b []byte) error { _, err := w.ReadFrom(bytes.NewReader(b)); return err },
		"Mixed": func(w blobstore.Writer, b []byte) error {
			half := len(b) / 2
			_, first := w.ReadFrom(iotest.HalfReader(bytes.NewReader(b[:half])))
			_, second := w.Write(b[half:])
			_, third := w.ReadFrom(iotest.DataErrReader(bytes.NewReader(nil)))
			return errors.Join(first, second, third)
		},
	}
	for kind, v := range both(t) {
		for name, write := range ways {
			for label, size := range sizes {
				t.Run(kind+name+label, func(t *testing.T) {
					want := content(size, size)
					w := v.Create()
					if err := write(w, want); err != nil {
						t.Fatal(err)
					}
					b, err := w.Seal()
					if err != nil {
						t.Fatal(err)
					}
					w.Abort()
					expectReads(t, b, want)
					commit(t, v, []blobstore.Change{change(name+label, b)}, b)
					expectReads(t, b, want)
				})
			}
		}
	}
}

func expectReads(t *testing.T, b blobstore.Blob, want []byte) {
	t.Helper()
	size := int64(len(want))
	if b.Size() != size {
		t.Fatalf("Size() = %d, want %d", b.Size(), size)
	}
	for _, at := range [][2]int64{{0, size}, {0, 0}, {size, 0}, {size / 2, size / 3}, {size / 3, 1}, {size - size/5, size / 5}} {
		offset, length := at[0], min(at[1], size-at[0])
		part := want[offset : offset+length]
		if got := read(t, b, offset, length); !bytes.Equal(got, part) {
			t.Errorf("%d bytes from %d are not those that were written", length, offset)
		}
		expectWriteTo(t, b, offset, part)
	}
	for _, at := range [][2]int64{{-1, 1}, {0, -1}, {0, size + 1}, {size + 1, 0}, {1, 1<<63 - 1}} {
		if r, err := b.Open(at[0], at[1]); err == nil {
			t.Errorf("Open(%d, %d) of %d bytes has no error", at[0], at[1], size)
			_ = r.Close()
		}
	}
}

func expectWriteTo(t *testing.T, b blobstore.Blob, offset int64, want []byte) {
	t.Helper()
	r, err := b.Open(offset, int64(len(want)))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }() // nothing is written
	to, ok := r.(io.WriterTo)
	if !ok {
		t.Fatalf("%T has no WriteTo", r)
	}
	var got bytes.Buffer
	if n, err := to.WriteTo(&got); err != nil || n != int64(len(want)) || !bytes.Equal(got.Bytes(), want) {
		t.Errorf("WriteTo of %d bytes from %d: %d, %v", len(want), offset, n, err)
	}
	r, err = b.Open(offset, int64(len(want)))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }() // nothing is written
	full := errors.New("full")
	if _, err := io.Copy(failing{full}, r); len(want) > 0 && !errors.Is(err, full) {
		t.Errorf("WriteTo a writer that fails = %v", err)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

// TestReaders checks the readers against the contract of io.Reader.
func TestReaders(t *testing.T) {
	for _, v := range both(t) {
		for _, size := range []int{0, 1000, 64<<10 + 1000} {
			want := content(1, size)
			r, err := seal(t, v, want).Open(0, int64(size))
			if err != nil {
				t.Fatal(err)
			}
			if err := iotest.TestReader(struct{ io.Reader }{r}, want); err != nil {
				t.Errorf("reader of %d bytes: %v", size, err)
			}
			if err := r.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestAbort ends writers early, and expects no remains.
func TestAbort(t *testing.T) {
	for name, size := range sizes {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for _, v := range []blobstore.Store{blobstore.NewMemory(), open(t, dir)} {
				aborted := v.Create()
				if _, err := aborted.Write(content(1, size)); err != nil {
					t.Fatal(err)
				}
				aborted.Abort()
				aborted.Abort()
				if _, err := aborted.Write([]byte("x")); err == nil {
					t.Error("a writer takes more after Abort")
				}
				if _, err := aborted.ReadFrom(bytes.NewReader([]byte("x"))); err == nil {
					t.Error("a writer reads more after Abort")
				}
				if _, err := aborted.Seal(); err == nil {
					t.Error("a writer is sealed after Abort")
				}
				interrupted := v.Create()
				broken := errors.New("the client has gone")
				source := io.MultiReader(bytes.NewReader(content(2, size)), iotest.ErrReader(broken))
				if n, err := interrupted.ReadFrom(source); !errors.Is(err, broken) || n != int64(size) {
					t.Errorf("ReadFrom() = %d, %v", n, err)
				}
				interrupted.Abort()
				seal(t, v, content(3, size)).Release()
			}
			if left := files(t, dir); len(left) > 0 {
				t.Errorf("there are files left: %v", left)
			}
		})
	}
}

// TestMemoryPerBlob weighs blobs in memory.
func TestMemoryPerBlob(t *testing.T) {
	tests := map[string]struct {
		size, count int
		most        float64 // bytes per byte
	}{
		"1KiB":        {1 << 10, 2000, 1.1},
		"60KiB":       {60 << 10, 200, 1.1},
		"Unaligned":   {1<<20 + 17, 10, 1.1},
		"Segments":    {10<<20 + 1, 2, 1.02},
		"WithNothing": {1, 2000, 100},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			v := blobstore.NewMemory()
			bytes := content(1, tc.size)
			kept := make([]blobstore.Blob, tc.count)
			before := heap()
			for i := range kept {
				kept[i] = seal(t, v, bytes)
			}
			after := heap()
			if got := float64(after-before) / float64(tc.size*tc.count); after > before && got > tc.most {
				t.Errorf("a byte takes %.2f bytes, want at most %.2f", got, tc.most)
			}
			runtime.KeepAlive(kept)
		})
	}
}

func heap() uint64 {
	var stats runtime.MemStats
	runtime.GC() // twice: pools are emptied only then
	runtime.GC()
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}

// TestCopiesOfNothing expects a large blob to be written to a directory without ever being in
// memory as a whole: it takes no more memory than a small one.
func TestCopiesOfNothing(t *testing.T) {
	v := open(t, t.TempDir())
	const small, large = 1 << 20, 64 << 20
	allocated(t, v, small) // and the overhead of the first blob
	little, much := allocated(t, v, small), allocated(t, v, large)
	t.Logf("%d and %d bytes were allocated", little, much)
	if much > little+large/64 {
		t.Errorf("%d bytes were allocated for a blob of %d, and %d for one of %d", much, large, little, small)
	}
}

// allocated writes and reads a blob of a size, and returns the allocated bytes.
func allocated(t *testing.T, v blobstore.Store, size int64) uint64 {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	w := v.Create()
	if n, err := w.ReadFrom(io.LimitReader(zeros{}, size)); err != nil || n != size {
		t.Fatal(n, err)
	}
	b, err := w.Seal()
	if err != nil {
		t.Fatal(err)
	}
	commit(t, v, []blobstore.Change{change(fmt.Sprint("k", size), b)}, b)
	r, err := b.Open(0, size)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := io.Copy(struct{ io.Writer }{io.Discard}, r); err != nil || n != size {
		t.Fatal(n, err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}
