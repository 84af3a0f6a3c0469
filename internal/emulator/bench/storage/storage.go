package storage

import (
	"context"
	"errors"
	"slices"

	"github.com/cosi-emu/cosi-emu/internal/emulator/bench/figure"
	"github.com/cosi-emu/cosi-emu/internal/fakedriver/workload"
)

// Load says how much there is to do. Every number must be positive.
type Load struct {
	// Objects is how many objects there are in listings and where memory is
	// measured.
	Objects int
	// Requests is how many small objects are written, and read, in a round.
	Requests int
	// Rounds is how often everything is timed.
	Rounds int
}

// DefaultLoad is what the bars are meant for.
var DefaultLoad = Load{Objects: 100_000, Requests: 1000, Rounds: 11}

const (
	small  = 1 << 10
	medium = 64 << 10
	large  = 64 << 20
)

// Measure takes all the measurements, one after another, and tells how it goes on.
// It leaves nothing running.
func Measure(ctx context.Context, load Load, progress func(string)) ([]figure.Figure, error) {
	var all []figure.Figure
	for _, measure := range []func(context.Context, Load, func(string)) ([]figure.Figure, error){
		measureSmall, measureLarge, measureListings, measureMemory,
	} {
		figures, err := measure(ctx, load, progress)
		if err != nil {
			return nil, err
		}
		all = slices.Concat(all, figures)
	}
	return all, nil
}

// pair is the store and its baseline.
type pair struct{ store, bare *workload.Subject }

// withPair serves both for a measurement.
func withPair(ctx context.Context, measure func(pair) ([]figure.Figure, error)) (figures []figure.Figure, err error) {
	var p pair
	if p.store, err = workload.Store(ctx); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.store.Close()) }()
	if p.bare, err = workload.Bare(ctx); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.bare.Close()) }()
	return measure(p)
}

// each does something with both.
func (p pair) each(do func(*workload.Subject) error) error {
	return errors.Join(do(p.store), do(p.bare))
}
