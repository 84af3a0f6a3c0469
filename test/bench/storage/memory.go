package storage

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"github.com/cosi-emu/cosi-emu/test/bench/figure"
	"github.com/cosi-emu/cosi-emu/test/bench/workload"
)

// barMemory is how many bytes of memory a stored byte may take.
const barMemory = 1.3

// measureMemory measures how much memory objects of several sizes take.
func measureMemory(ctx context.Context, load Load, progress func(string)) ([]figure.Figure, error) {
	var figures []figure.Figure
	for _, stored := range []struct {
		name        string
		size, count int
	}{
		{"1 KiB", small, load.Objects}, {"64 KiB", medium, max(1, load.Objects/100)}, {"64 MiB", large, 2},
	} {
		name := fmt.Sprintf("memory for a byte, %d objects of %s", stored.count, stored.name)
		progress(name)
		ours, err := perByte(ctx, workload.Store, stored.count, stored.size)
		if err != nil {
			return nil, err
		}
		theirs, err := perByte(ctx, workload.Bare, stored.count, stored.size)
		if err != nil {
			return nil, err
		}
		figures = append(figures, figure.New(name, ours, figure.UnitBytes, barMemory,
			fmt.Sprintf("gofakes3 alone takes %s bytes for a byte", figure.Number(theirs))))
	}
	return figures, nil
}

// perByte stores objects, and returns by how many bytes the live heap has grown for
// each of theirs.
func perByte(
	ctx context.Context, serve func(context.Context) (*workload.Subject, error), count, size int,
) (_ float64, err error) {
	content := make([]byte, size)
	s, err := serve(ctx)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	// What stays with connections and pools is there before, too.
	if err := fill(ctx, s, min(count, 2*workload.Clients), content); err != nil {
		return 0, err
	}
	before := liveHeap()
	err = workload.Concurrently(ctx, count, func(ctx context.Context, i int) error {
		return s.Put(ctx, "more/"+workload.Key(i), content)
	})
	grown := liveHeap() - before
	runtime.KeepAlive(content) // it is no part of it
	return float64(grown) / float64(count) / float64(size), err
}

// liveHeap returns the heap after two collections: objects in pools survive the first.
func liveHeap() int64 {
	runtime.GC()
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc) //nolint:gosec // no machine has so much
}
