package cause

import (
	"time"

	"github.com/cosi-emu/cosi-emu/internal/explore/plan"
	"github.com/cosi-emu/cosi-emu/internal/explore/run"
	"github.com/cosi-emu/cosi-emu/internal/oracle"
)

type Result struct {
	Case     plan.Case        `json:"case"`
	Reached  bool             `json:"reached"`
	Runs     int              `json:"runs"`
	Findings []oracle.Finding `json:"findings,omitempty"`
	Explanation

	Took     time.Duration `json:"-"`
	Observed *run.Record   `json:"-"` // nil: from an earlier exploration
}

func (c Result) sameFinding(other Result) bool { return same(c.Findings[0], other.Findings[0]) }

// Has reports whether a finding has the oracle of the run's first.
func (c Result) Has(f oracle.Finding) bool { return f.Oracle == c.Findings[0].Oracle }

// ShownBy returns the result with the confirming run, if its own belongs to an earlier exploration.
func (c Result) ShownBy(confirming *run.Record) Result {
	if c.Observed == nil {
		c.Observed = confirming
	}
	return c
}
