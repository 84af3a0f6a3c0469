package explore

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/explore/run"
)

// seamRounds is the number of measured runs with seams, and of runs without. They alternate, so
// that other load affects both equally.
const seamRounds = 40

// measureSeams measures the overhead of the seams without faults. It runs the scenario with
// the seams and bypassing them, in one sandbox.
func (e *explorer) measureSeams(ctx context.Context) (err error) {
	w, err := e.shared.pool.Take(ctx)
	if err != nil {
		return err
	}
	// Watches that bypass the seams would continue to do so.
	defer func() { err = errors.Join(err, e.shared.pool.Drop(ctx, w)) }()
	took := map[bool][]time.Duration{}
	for i := range 2 * seamRounds {
		beside := i%2 == 1
		w.Emulator.Faults().Bypass(beside)
		o := w.Run(ctx, e.scenario, nil, nil)
		w.Emulator.Faults().Bypass(false)
		if err := run.NotCleanError(o); err != nil {
			return err
		}
		if _, err := w.Reset(ctx, o); err != nil {
			return err
		}
		took[beside] = append(took[beside], o.Steps)
		if !beside {
			e.report.Seams.Events = len(o.Events)
		}
	}
	e.report.Seams.With, e.report.Seams.Without = usual(took[false]), usual(took[true])
	return nil
}

// usual returns the mean of the faster half, because other load only makes runs slower.
func usual(all []time.Duration) time.Duration {
	slices.Sort(all)
	half := all[:(len(all)+1)/2]
	var sum time.Duration
	for _, took := range half {
		sum += took
	}
	return sum / time.Duration(len(half))
}
