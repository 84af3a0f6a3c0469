package storage

import (
	"context"
	"fmt"
	"net/http"

	"github.com/cosi-emu/cosi-emu/test/bench/figure"
	"github.com/cosi-emu/cosi-emu/test/bench/workload"
)

// The bars, as multiples of the baseline's time.
const (
	barSmall    = 1.15
	barLarge    = 1
	barProtocol = 1.2
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
	return withPair(ctx, workload.Store, workload.Bare, func(p subjects) ([]figure.Figure, error) {
		return p.figures(ctx, load.Rounds, progress,
			subjectTask{
				name: fmt.Sprintf("%d times PUT of 1 KiB by %d clients", load.Requests, workload.Clients),
				bar:  barSmall, operations: load.Requests, do: put,
			},
			subjectTask{
				name: fmt.Sprintf("%d times GET of 1 KiB by %d clients", load.Requests, workload.Clients),
				bar:  barSmall, operations: load.Requests, do: get,
			})
	})
}

// measureLarge writes and reads one large object.
func measureLarge(ctx context.Context, load Load, progress func(string)) ([]figure.Figure, error) {
	content := make([]byte, large)
	const key = "large"
	return withPair(ctx, workload.Store, workload.Bare, func(p subjects) ([]figure.Figure, error) {
		return p.figures(ctx, load.Rounds, progress,
			subjectTask{name: "PUT of 64 MiB", bar: barLarge, operations: 1, do: func(ctx context.Context, s *workload.Subject) error {
				return s.Put(ctx, key, content)
			}},
			subjectTask{name: "GET of 64 MiB", bar: barLarge, operations: 1, do: func(ctx context.Context, s *workload.Subject) error {
				return read(ctx, s, key, large)
			}})
	})
}

// measureProtocols writes and reads small objects with each protocol; the baseline is S3.
func measureProtocols(ctx context.Context, load Load, progress func(string)) (all []figure.Figure, err error) {
	for _, other := range []struct {
		name  string
		serve func(context.Context) (*workload.Service, error)
	}{{"Azure", workload.ServeAzure}, {"GCS", workload.ServeGCS}} {
		figures, err := withPair(ctx, other.serve, workload.ServeS3, func(p pair[*workload.Service]) ([]figure.Figure, error) {
			name := fmt.Sprintf("of 1 KiB by %d clients, %s relative to S3", workload.Clients, other.name)
			return p.figures(ctx, load.Rounds, progress, smallTasks(load.Requests, name, barProtocol)...)
		})
		if err != nil {
			return nil, err
		}
		all = append(all, figures...)
	}
	return all, nil
}

func smallTasks(requests int, name string, bar float64) []task[*workload.Service] {
	content := workload.NewContent(make([]byte, small))
	times := func(method string, do func(context.Context, *workload.Service, string) error) task[*workload.Service] {
		return task[*workload.Service]{
			name: fmt.Sprintf("%d times %s %s", requests, method, name), bar: bar, operations: requests,
			do: func(ctx context.Context, s *workload.Service) error {
				return workload.Concurrently(ctx, requests, func(ctx context.Context, i int) error { return do(ctx, s, workload.Key(i)) })
			},
		}
	}
	return []task[*workload.Service]{
		times(http.MethodPut, func(ctx context.Context, s *workload.Service, key string) error { return s.Put(ctx, key, content) }),
		times(http.MethodGet, func(ctx context.Context, s *workload.Service, key string) error { return read(ctx, s, key, small) }),
	}
}

type getter interface {
	Get(ctx context.Context, key string) (int64, error)
}

// read reads an object, which must have a size.
func read(ctx context.Context, s getter, key string, want int64) error {
	n, err := s.Get(ctx, key)
	if err == nil && n != want {
		err = fmt.Errorf("object %s has %d bytes, want %d", key, n, want)
	}
	return err
}
