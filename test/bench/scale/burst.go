package scale

import (
	"context"
	"fmt"
	"maps"

	cosicontroller "github.com/cosi-emu/cosi-emu/controller"
	cosisidecar "github.com/cosi-emu/cosi-emu/sidecar"
	"github.com/cosi-emu/cosi-emu/test/bench/figure"
)

const (
	// maxBurstRatio is how much longer than its bare writes a burst may take.
	maxBurstRatio = 2
	// barWrites is how many writes there may be for each that the flow needs.
	barWrites = 1.25
	// barConflicts is how many conflicts there may be for a pair.
	barConflicts = 1
	// barCalls is how many calls there may be for each that the flow needs.
	barCalls = 1
	// warmUpObjects is how many objects are made before those that count, so that
	// connections are open, and code has run, here and in the API server.
	warmUpObjects = 20
)

// workers is how many bare writes are made at the same time: as many as the
// components have workers, for two kinds of objects each.
const workers = 2 * (cosicontroller.DefaultWorkers + cosisidecar.DefaultWorkers)

// burst is many pairs that are created at once.
type burst struct {
	pairs    int
	asked    requestCounts // by the components
	measured []figure.Cost // of the pairs
	baseline []figure.Cost // of the same writes without the components
	writes   int           // in the baseline
}

// measureBurst creates all pairs at once, with a new control plane each time.
func measureBurst(ctx context.Context, opts Options, progress func(string)) ([]figure.Figure, error) {
	r := &burst{pairs: opts.Pairs, asked: newRequestCounts()}
	for i := range opts.Rounds {
		progress(round(fmt.Sprintf("%d claims and accesses at once", opts.Pairs), i, opts.Rounds))
		if err := withEnvironment(ctx, opts, func(s *environment) error { return r.run(ctx, s) }); err != nil {
			return nil, err
		}
	}
	return r.figures(), nil
}

// run is one round: the pairs first, and then their writes again.
func (r *burst) run(ctx context.Context, s *environment) error {
	m := newRequestCounter()
	var again *replay
	err := s.withComponents(ctx, m, func() (err error) {
		again, err = r.create(ctx, s, m)
		return err
	})
	if err != nil {
		return err
	}
	namespace, err := CreateNamespace(ctx, s.admin, "scale-")
	if err != nil {
		return err
	}
	bare, err := figure.Measure(func() error { return again.run(ctx, s, namespace, workers) })
	r.baseline = append(r.baseline, bare)
	r.writes = again.size()
	return err
}

func (r *burst) create(ctx context.Context, s *environment, m *requestCounter) (*replay, error) {
	if err := s.warmUp(ctx, m); err != nil {
		return nil, err
	}
	namespace, err := CreateNamespace(ctx, s.admin, "scale-")
	if err != nil {
		return nil, err
	}
	b, before := batch{namespace: namespace, count: r.pairs}, m.read()
	m.keep()
	took, err := figure.Measure(func() error { return s.create(ctx, b) })
	if err != nil {
		return nil, err
	}
	if err := m.awaitIdle(ctx); err != nil { // Events are written later
		return nil, err
	}
	r.measured = append(r.measured, took)
	r.asked = r.asked.plus(m.read().since(before))
	return s.newReplay(ctx, b, m.take())
}

// warmUp makes some pairs that do not count, and returns when all is quiet.
func (e *environment) warmUp(ctx context.Context, m *requestCounter) error {
	namespace, err := CreateNamespace(ctx, e.admin, "scale-")
	if err != nil {
		return err
	}
	b := batch{namespace: namespace, count: warmUpObjects}
	if err := e.create(ctx, b); err != nil {
		return err
	}
	if err := e.remove(ctx, b); err != nil {
		return err
	}
	return m.awaitIdle(ctx)
}

func (r *burst) figures() []figure.Figure {
	pairs := r.pairs * len(r.measured)
	return []figure.Figure{r.throughput(pairs), r.writesFigure(pairs), r.conflictsFigure(pairs), r.callsFigure(pairs)}
}

func (r *burst) throughput(pairs int) figure.Figure {
	measured, baseline := figure.Times(figure.AllElapsed(r.measured)), figure.Times(figure.AllElapsed(r.baseline))
	rate := func(s figure.Spread) string { return figure.Number(float64(r.pairs) / s.Median * 1000) }
	return figure.Ratio(fmt.Sprintf("%d claims and accesses at once, all ready", r.pairs), maxBurstRatio, measured, baseline,
		fmt.Sprintf("%s pairs a second, by %d users at a time; the baseline, %d at a time, makes the same %d writes for %s pairs a second",
			rate(measured), creators, workers, r.writes, rate(baseline)),
		fmt.Sprintf("of the processors, the components, with the driver and the users, took %.2f ms a pair, the writer of the baseline %.2f ms",
			figure.Times(figure.AllCPU(r.measured)).Median/float64(r.pairs), figure.Times(figure.AllCPU(r.baseline)).Median/float64(r.pairs)),
		fmt.Sprintf("reads of a pair: %s", each(r.asked.reads(), pairs)))
}

func (r *burst) writesFigure(pairs int) figure.Figure {
	writes, events := r.asked.writes(), r.asked.events()
	needed := needs(pairFlow)
	notes := []string{
		fmt.Sprintf("%s writes for a claim with an access, of which the KEP's flow needs %d; Events are %s more",
			figure.Number(per(total(writes), pairs)), len(pairFlow), figure.Number(per(total(events), pairs))),
	}
	for _, s := range []struct {
		title  string
		counts map[string]int
	}{{"made", writes}, {"Events", events}} {
		notes = append(notes, s.title+": "+each(s.counts, pairs))
	}
	notes = append(notes, "needed: "+each(scaled(needed, pairs), pairs))
	return figure.New("API writes for a claim with an access, against the KEP's minimum",
		per(total(writes), pairs)/float64(len(pairFlow)), figure.UnitTimes, barWrites, append(notes, explain(pairFlow)...)...)
}

func scaled(counts map[string]int, factor int) map[string]int {
	result := maps.Clone(counts)
	for name := range result {
		result[name] *= factor
	}
	return result
}

func (r *burst) conflictsFigure(pairs int) figure.Figure {
	return figure.New("conflicts for a claim with an access", per(r.asked.conflicts, pairs), figure.UnitConflicts, barConflicts,
		fmt.Sprintf("%d in all, for %d pairs", r.asked.conflicts, pairs))
}

func (r *burst) callsFigure(pairs int) figure.Figure {
	return figure.New("calls to the driver for a claim with an access, against the KEP's minimum",
		per(total(r.asked.calls), pairs)/callsPerPair, figure.UnitTimes, barCalls, each(r.asked.calls, pairs))
}
