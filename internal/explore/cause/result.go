package cause

import (
	"time"

	"github.com/cosi-emu/cosi-emu/internal/explore/plan"
	"github.com/cosi-emu/cosi-emu/internal/explore/run"
	"github.com/cosi-emu/cosi-emu/internal/oracle/checks"
)

// Result is the result of the runs of a case.
type Result struct {
	Case plan.Case `json:"case"`
	// Reached reports whether a run reached all points of the case, and Runs is the number of runs.
	Reached  bool             `json:"reached"`
	Runs     int              `json:"runs"`
	Findings []checks.Finding `json:"findings,omitempty"`
	// Reasons are the reasons that components gave in the runs.
	Reasons []string `json:"reasons,omitempty"`
	// Starved reports whether the last run lost half of its time to other work of the machine.
	Starved bool `json:"starved,omitempty"`
	Explanation

	// Took is the duration of the runs.
	Took time.Duration `json:"-"`
	// Observed is the last run; nil if an earlier exploration has run it.
	Observed *run.Record `json:"-"`
}

func (r Result) sameFinding(other Result) bool { return same(r.Findings[0], other.Findings[0]) }

// Has reports whether a finding has the oracle of the run's first.
func (r Result) Has(f checks.Finding) bool { return f.Oracle == r.Findings[0].Oracle }

// ShownBy returns the result with the confirming run, if its own belongs to an earlier exploration.
func (r Result) ShownBy(confirming *run.Record) Result {
	if r.Observed == nil {
		r.Observed = confirming
	}
	return r
}
