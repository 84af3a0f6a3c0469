package engine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/glob"
	"github.com/cosi-emu/cosi-emu/internal/scenarios/spec"
)

// injection is a fault of the scenario that is in force.
type injection struct {
	name string     // in the emulator
	step *spec.Step // that injected it
	mark uint64     // the last event before it
}

// unapplied returns a failure if a fault that has ended was applied to no operation: the
// scenario has then passed without what it is about. Exploration injects faults of its
// own, which prevent others, and without a backend nothing happens at the store seam.
func (r *run) unapplied(i injection, ended fault.Status) error {
	options := r.engine.options
	switch {
	case ended.Applied > 0 || ended.Optional || options.SkipOracles || options.NoBackend && ended.Seam == journal.SeamStore:
		return nil
	case len(r.result.Failures) > 0: // it has not come to what the fault is for
		return nil
	}
	return &Failure{
		Step: i.step, Position: i.step.Position,
		Message: fmt.Sprintf("fault %q was applied to no operation: %s; correct its match, or set optional: true",
			i.step.Inject.Name, r.whyUnapplied(i, ended)),
	}
}

// whyUnapplied says how far the journal is from what the fault matches.
func (r *run) whyUnapplied(i injection, ended fault.Status) string {
	if ended.Matched > 0 {
		return fmt.Sprintf("it matched %d, and applies from number %d on", ended.Matched, max(ended.Nth, ended.Every))
	}
	var seen []string
	for _, e := range r.engine.journal.Since(i.mark) {
		is := e.Component + " " + e.Operation.String()
		if e.Seam == ended.Seam && glob.Match(ended.Operation, e.Operation.Name) && r.ownScope().Concerns(e) && !slices.Contains(seen, is) {
			seen = append(seen, is)
		}
	}
	what := strings.TrimSpace(fmt.Sprintf("%s %s", ended.Seam, ended.Operation))
	if len(seen) == 0 {
		return fmt.Sprintf("the journal has no %q while it was in force", what)
	}
	const most = 3
	return fmt.Sprintf("of %q the journal has %s", what, strings.Join(seen[:min(most, len(seen))], ", "))
}
