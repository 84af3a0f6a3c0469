package blobstore_test

import (
	"fmt"
	"io"
	"sync/atomic"
	"testing"

	"github.com/cosi-emu/cosi-emu/internal/store/blobstore"
)

// BenchmarkCommit stores blobs with a record each.
func BenchmarkCommit(b *testing.B) {
	for _, parallelism := range []int{1, 16} {
		for _, size := range []int{1 << 10, 32 << 10, 128 << 10} {
			b.Run(fmt.Sprintf("%dKiB/%d", size>>10, parallelism), func(b *testing.B) {
				v := open(b, b.TempDir())
				bytes := content(1, size)
				var n atomic.Int64
				b.SetParallelism(parallelism)
				b.SetBytes(int64(size))
				b.ReportAllocs()
				b.RunParallel(func(pb *testing.PB) {
					for pb.Next() {
						blob := seal(b, v, bytes)
						commit(b, v, []blobstore.Change{change(fmt.Sprint("k", n.Add(1)), blob)}, blob)
					}
				})
			})
		}
	}
}

// BenchmarkWrite writes blobs of 64 MiB, which are stored or not.
func BenchmarkWrite(b *testing.B) {
	const size = 64 << 20
	for name, v := range map[string]blobstore.Store{"Memory": blobstore.NewMemory(), "Disk": open(b, b.TempDir())} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(size)
			b.ReportAllocs()
			for b.Loop() {
				w := v.Create()
				if _, err := w.ReadFrom(io.LimitReader(zeros{}, size)); err != nil {
					b.Fatal(err)
				}
				blob, err := w.Seal()
				if err != nil {
					b.Fatal(err)
				}
				blob.Release()
			}
		})
	}
}

func BenchmarkRead(b *testing.B) {
	for name, v := range map[string]blobstore.Store{"Memory": blobstore.NewMemory(), "Disk": open(b, b.TempDir())} {
		for _, size := range []int{1 << 10, 1 << 20} {
			b.Run(fmt.Sprintf("%s/%dKiB", name, size>>10), func(b *testing.B) {
				blob := seal(b, v, content(1, size))
				commit(b, v, nil, blob)
				b.SetBytes(int64(size))
				b.ReportAllocs()
				for b.Loop() {
					r, err := blob.Open(0, int64(size))
					if err != nil {
						b.Fatal(err)
					}
					if _, err := io.Copy(io.Discard, r); err != nil {
						b.Fatal(err)
					}
					_ = r.Close() // only read
				}
			})
		}
	}
}

// BenchmarkLoad opens a store with 100,000 records and small blobs.
func BenchmarkLoad(b *testing.B) {
	const count, batch = 100_000, 1000
	dir := b.TempDir()
	v := open(b, dir)
	bytes := content(1, 1<<10)
	for i := range count / batch {
		var changes []blobstore.Change
		var blobs []blobstore.Blob
		for j := range batch {
			blob := seal(b, v, bytes)
			changes, blobs = append(changes, change(fmt.Sprintf("%06d", i*batch+j), blob)), append(blobs, blob)
		}
		commit(b, v, changes, blobs...)
	}
	shut(b, v)
	for b.Loop() {
		v := open(b, dir)
		if things := loaded(b, v); len(things) != count {
			b.Fatalf("there are %d things, want %d", len(things), count)
		}
		shut(b, v)
	}
}
