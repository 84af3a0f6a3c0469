package storage

import (
	"context"
	"fmt"

	"github.com/cosi-emu/cosi-emu/internal/emulator/bench/figure"
	"github.com/cosi-emu/cosi-emu/internal/fakedriver/workload"
)

// The bars, as multiples of the baseline's time.
const (
	// barSmall is that of nine tenths of the baseline's requests per second.
	barSmall = 1 / 0.9
	barLarge = 1
)

// measureSmall writes and reads small objects.
func measureSmall(ctx context.Context, load Load, progress func(string)) ([]figure.Figure, error) {
	content := make([]byte, small)
	put := func(ctx context.Context, s *workload.Subject) error {
		return workload.Concurrently(ctx, load.Requests, func(ctx context.Context, i int) error {
			return s.Put(ctx, workload.Key(i), content)
		})
	}
	get := func(ctx context.Context, s *workload.Subject) error {
		return workload.Concurrently(ctx, load.Requests, func(ctx context.Context, i int) error {
			return read(ctx, s, workload.Key(i), small)
		})
	}
	return withPair(ctx, func(p pair) ([]figure.Figure, error) {
		return p.figures(ctx, load.Rounds, progress,
			task{name: fmt.Sprintf("%d times PUT of 1 KiB by %d clients", load.Requests, workload.Clients), bar: barSmall, do: put},
			task{name: fmt.Sprintf("%d times GET of 1 KiB by %d clients", load.Requests, workload.Clients), bar: barSmall, do: get})
	})
}

// measureLarge writes and reads one large object.
func measureLarge(ctx context.Context, load Load, progress func(string)) ([]figure.Figure, error) {
	content := make([]byte, large)
	const key = "large"
	return withPair(ctx, func(p pair) ([]figure.Figure, error) {
		return p.figures(ctx, load.Rounds, progress,
			task{name: "PUT of 64 MiB", bar: barLarge, do: func(ctx context.Context, s *workload.Subject) error {
				return s.Put(ctx, key, content)
			}},
			task{name: "GET of 64 MiB", bar: barLarge, do: func(ctx context.Context, s *workload.Subject) error {
				return read(ctx, s, key, large)
			}})
	})
}

// read reads an object, which must have a size.
func read(ctx context.Context, s *workload.Subject, key string, want int64) error {
	n, err := s.Get(ctx, key)
	if err == nil && n != want {
		err = fmt.Errorf("object %s has %d bytes, want %d", key, n, want)
	}
	return err
}
