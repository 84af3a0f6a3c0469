package explore

import (
	"context"
	"slices"
	"time"
)

// seamRounds is how many runs of each sort are measured. They take turns, so that
// what else the machine does burdens both alike.
const seamRounds = 15

// measureSeams finds what the seams cost when there is no fault: it runs the
// scenario with them, and with everything passing beside them, on one world.
func (e *explorer) measureSeams(ctx context.Context) error {
	w, err := e.pool.take(ctx)
	if err != nil {
		return err
	}
	// Watches that were begun beside the seams would stay there.
	defer func() { err = e.pool.drop(ctx, w) }()
	took := map[bool][]time.Duration{}
	for i := range 2 * seamRounds {
		beside := i%2 == 1
		w.emu.Faults().Bypass(beside)
		o := w.run(ctx, e.scenario, nil, nil)
		w.emu.Faults().Bypass(false)
		if err := uncleanness(o); err != nil {
			return err
		}
		if _, err := w.clean(ctx, o); err != nil {
			return err
		}
		took[beside] = append(took[beside], o.steps)
		if !beside {
			e.report.Seams.Events = len(o.events)
		}
	}
	e.report.Seams.With, e.report.Seams.Without = median(took[false]), median(took[true])
	return err
}

func median(all []time.Duration) time.Duration {
	slices.Sort(all)
	return all[len(all)/2]
}
