package workload_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/cosi-emu/cosi-emu/test/bench/workload"
)

const (
	smallObject = 1 << 10
	largeObject = 64 << 20
)

// compared runs a benchmark with the store and with gofakes3 alone.
func compared(b *testing.B, size int64, run func(b *testing.B, s *workload.Subject)) {
	b.Helper()
	for name, begin := range map[string]func(context.Context) (*workload.Subject, error){
		"Store": workload.Store, "Bare": workload.Bare,
	} {
		b.Run(name, func(b *testing.B) {
			s, err := begin(b.Context())
			if err != nil {
				b.Fatal(err)
			}
			defer func() {
				b.StopTimer()
				if err := s.Close(); err != nil {
					b.Error(err)
				}
			}()
			b.SetBytes(size)
			b.ReportAllocs()
			run(b, s)
		})
	}
}

// inParallel has the clients do something at the same time.
func inParallel(b *testing.B, do func(ctx context.Context, i int) error) {
	b.Helper()
	b.SetParallelism(workload.Clients)
	var count atomic.Int64
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if err := do(b.Context(), int(count.Add(1)%10_000)); err != nil {
				b.Error(err)
				return
			}
		}
	})
}

func BenchmarkPutSmall(b *testing.B) {
	compared(b, smallObject, func(b *testing.B, s *workload.Subject) { //nolint:thelper // it is the benchmark itself
		content := make([]byte, smallObject)
		inParallel(b, func(ctx context.Context, i int) error { return s.Put(ctx, workload.Key(i), content) })
	})
}

func BenchmarkGetSmall(b *testing.B) {
	compared(b, smallObject, func(b *testing.B, s *workload.Subject) { //nolint:thelper // it is the benchmark itself
		if err := s.Put(b.Context(), "k", make([]byte, smallObject)); err != nil {
			b.Fatal(err)
		}
		b.ResetTimer()
		inParallel(b, func(ctx context.Context, _ int) error {
			_, err := s.Get(ctx, "k")
			return err
		})
	})
}

func BenchmarkPutLarge(b *testing.B) {
	compared(b, largeObject, func(b *testing.B, s *workload.Subject) { //nolint:thelper // it is the benchmark itself
		content := make([]byte, largeObject)
		for b.Loop() {
			if err := s.Put(b.Context(), "k", content); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkGetLarge(b *testing.B) {
	compared(b, largeObject, func(b *testing.B, s *workload.Subject) { //nolint:thelper // it is the benchmark itself
		if err := s.Put(b.Context(), "k", make([]byte, largeObject)); err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			if _, err := s.Get(b.Context(), "k"); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkList(b *testing.B) {
	const keys = 10_000
	for name, list := range map[string]func(*workload.Subject, context.Context) error{
		"Groups": func(s *workload.Subject, ctx context.Context) error {
			_, err := s.Groups(ctx)
			return err
		},
		"Plain": func(s *workload.Subject, ctx context.Context) error {
			_, err := s.CountPlain(ctx)
			return err
		},
		"All": func(s *workload.Subject, ctx context.Context) error {
			_, err := s.Count(ctx)
			return err
		},
	} {
		b.Run(name, func(b *testing.B) {
			compared(b, 0, func(b *testing.B, s *workload.Subject) { //nolint:thelper // it is the benchmark itself
				err := workload.Concurrently(b.Context(), keys, func(ctx context.Context, i int) error { return s.Put(ctx, workload.Key(i), nil) })
				if err != nil {
					b.Fatal(err)
				}
				for b.Loop() {
					if err := list(s, b.Context()); err != nil {
						b.Fatal(err)
					}
				}
			})
		})
	}
}

// BenchmarkServices compares the services of all protocols, with clients that do little.
func BenchmarkServices(b *testing.B) {
	for name, serve := range map[string]func(context.Context) (*workload.Service, error){
		"S3": workload.ServeS3, "GCS": workload.ServeGCS, "Azure": workload.ServeAzure,
	} {
		b.Run(name, func(b *testing.B) {
			s, err := serve(b.Context())
			if err != nil {
				b.Fatal(err)
			}
			defer func() {
				if err := s.Close(); err != nil {
					b.Error(err)
				}
			}()
			content := workload.NewContent(make([]byte, smallObject))
			b.Run("Put", func(b *testing.B) {
				b.ReportAllocs()
				inParallel(b, func(ctx context.Context, i int) error { return s.Put(ctx, workload.Key(i), content) })
			})
			b.Run("Get", func(b *testing.B) {
				b.ReportAllocs()
				inParallel(b, func(ctx context.Context, _ int) error {
					_, err := s.Get(ctx, workload.Key(1))
					return err
				})
			})
		})
	}
}
