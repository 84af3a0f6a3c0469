package explore

import (
	"context"
	"errors"
	"slices"
	"time"
)

// seamRounds is how many runs of each sort are measured. They take turns, so that
// what else the machine does burdens both alike.
const seamRounds = 40

// measureSeams finds what the seams cost when there is no fault: it runs the
// scenario with them, and with everything passing beside them, on one sandbox.
func (e *explorer) measureSeams(ctx context.Context) (err error) {
	w, err := e.shared.pool.take(ctx)
	if err != nil {
		return err
	}
	// Watches that were begun beside the seams would stay there.
	defer func() { err = errors.Join(err, e.shared.pool.drop(ctx, w)) }()
	took := map[bool][]time.Duration{}
	for i := range 2 * seamRounds {
		beside := i%2 == 1
		w.emu.Faults().Bypass(beside)
		o := w.run(ctx, e.scenario, nil, nil)
		w.emu.Faults().Bypass(false)
		if err := notCleanError(o); err != nil {
			return err
		}
		if _, err := w.reset(ctx, o); err != nil {
			return err
		}
		took[beside] = append(took[beside], o.steps)
		if !beside {
			e.report.Seams.Events = len(o.events)
		}
	}
	e.report.Seams.With, e.report.Seams.Without = usual(took[false]), usual(took[true])
	return nil
}

// usual is the mean of the faster half: what else goes on makes runs slower, and never
// faster.
func usual(all []time.Duration) time.Duration {
	slices.Sort(all)
	half := all[:(len(all)+1)/2]
	var sum time.Duration
	for _, took := range half {
		sum += took
	}
	return sum / time.Duration(len(half))
}
