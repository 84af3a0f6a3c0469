package storage

import (
	"context"
	"errors"
	"slices"

	"github.com/cosi-emu/cosi-emu/test/bench/figure"
	"github.com/cosi-emu/cosi-emu/test/bench/workload"
)

// Load is the size of the load. Every number must be positive.
type Load struct {
	// Objects is how many objects there are in listings and where memory is
	// measured.
	Objects int
	// Requests is how many small objects are written, and read, in a round.
	Requests int
	// Rounds is how often everything is timed.
	Rounds int
}

// DefaultLoad is the load that the bars are meant for.
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
		measureSmall, measureLarge, measureProtocols, measureListings, measureMemory,
	} {
		figures, err := measure(ctx, load, progress)
		if err != nil {
			return nil, err
		}
		all = slices.Concat(all, figures)
	}
	return all, nil
}

// pair is a measurement and its baseline.
type pair[S any] struct{ measured, baseline S }

// subjects are the store and gofakes3.
type (
	subjects    = pair[*workload.Subject]
	subjectTask = task[*workload.Subject]
)

// withPair serves both for a measurement.
func withPair[S interface{ Close() error }](
	ctx context.Context, measured, baseline func(context.Context) (S, error), measure func(pair[S]) ([]figure.Figure, error),
) (figures []figure.Figure, err error) {
	var p pair[S]
	if p.measured, err = measured(ctx); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.measured.Close()) }()
	if p.baseline, err = baseline(ctx); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.baseline.Close()) }()
	return measure(p)
}

// each does something with both.
func (p pair[S]) each(do func(S) error) error {
	return errors.Join(do(p.measured), do(p.baseline))
}
