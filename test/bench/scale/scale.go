package scale

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/binaries"
	"github.com/cosi-emu/cosi-emu/test/bench/figure"
)

// Load is the size of the load. Every number must be positive.
type Load struct {
	// Pairs is how many claims with an access each are created at once, and how
	// many accesses one claim gets.
	Pairs int
	// Many is how many claims there are when the cost of another one is compared
	// with the cost where there are few: a fiftieth.
	Many int
	// Rounds is how often what takes time is timed.
	Rounds int
	// Most is the largest number of pairs of [MeasureSizes].
	Most int
}

// DefaultLoad is the load that the bars are meant for.
var DefaultLoad = Load{Pairs: 1000, Many: 5000, Rounds: 3, Most: 25000}

// Options are a load, and where to find the programs of the control plane.
type Options struct {
	Load

	ControlPlane emulator.ControlPlaneKind
	Binaries     binaries.Options
}

// stopTimeout bounds the end of a control plane.
const stopTimeout = time.Minute

// Measure takes all the measurements, one after another, each with control planes
// of its own, and tells how it goes on. It leaves nothing running.
func Measure(ctx context.Context, opts Options, progress func(string)) ([]figure.Figure, error) {
	var all []figure.Figure
	for _, measure := range []func(context.Context, Options, func(string)) ([]figure.Figure, error){
		measureBurst, measureMemory, measureGrowth, measureOneClaim,
	} {
		figures, err := measure(ctx, opts, progress)
		if err != nil {
			return nil, err
		}
		all = slices.Concat(all, figures)
	}
	return all, nil
}

// withEnvironment makes an environment for a measurement, and takes it down after.
func withEnvironment(ctx context.Context, opts Options, measure func(*environment) error) (err error) {
	emu, err := emulator.Start(ctx, emulator.Options{
		ControlPlaneKind: opts.ControlPlane, ControlPlaneDir: opts.Binaries.Dir, NoDriver: true,
	})
	if err != nil {
		return err
	}
	defer func() {
		stopCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
		defer cancel()
		err = errors.Join(err, emu.Stop(stopCtx))
	}()
	s, err := newEnvironment(ctx, emu)
	if err != nil {
		return err
	}
	return measure(s)
}

// round names one of several rounds by its number.
func round(what string, number, count int) string {
	return fmt.Sprintf("%s, round %d of %d", what, number+1, count)
}
