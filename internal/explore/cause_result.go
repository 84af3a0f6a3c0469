package explore

import (
	"time"

	"github.com/cosi-emu/cosi-emu/internal/oracle"
)

type caseResult struct {
	Case     Case             `json:"case"`
	Reached  bool             `json:"reached"`
	Runs     int              `json:"runs"`
	Findings []oracle.Finding `json:"findings,omitempty"`
	Explanation

	took     time.Duration `json:"-"`
	observed *runResult    `json:"-"` // nil: from an earlier exploration
}

func (c caseResult) sameFinding(other caseResult) bool { return same(c.Findings[0], other.Findings[0]) }

// has reports whether a finding has the oracle of the run's first.
func (c caseResult) has(f oracle.Finding) bool { return f.Oracle == c.Findings[0].Oracle }

// shownBy returns the result with the confirming run, if its own belongs to an earlier exploration.
func (c caseResult) shownBy(confirming *runResult) caseResult {
	if c.observed == nil {
		c.observed = confirming
	}
	return c
}
