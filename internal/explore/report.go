package explore

import (
	"errors"
	"slices"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/explore/cause"
	"github.com/cosi-emu/cosi-emu/internal/explore/shard"
)

// Report is the result of an exploration.
type Report struct {
	Scenario string `json:"scenario"`
	// Points counts the operations of the clean run, Applicable the effects that apply to
	// them, and Tried the effects that were tried.
	Points     int `json:"points"`
	Applicable int `json:"applicable"`
	Tried      int `json:"tried"`
	// Combined counts cases of several faults.
	Combined int `json:"combined,omitempty"`
	// Untried are the cases that were not started: the budget was used up, or the exploration
	// was interrupted.
	Untried []Untried `json:"untried,omitempty"`
	// Budget is the time limit that ended the exploration, and State the file with the completed
	// runs.
	Budget time.Duration `json:"budget,omitempty"`
	State  string        `json:"state,omitempty"`
	// Runs counts all runs, including repeated ones.
	Runs int `json:"runs"`
	// Unreached are cases whose operation did not happen in any attempt.
	Unreached []string `json:"unreached,omitempty"`
	// Reasons are the reasons of conditions and Events that components gave, and OtherReasons the other ones that the
	// emulator's components of v1alpha2 can give: other scenarios would exercise their branches.
	Reasons      []string `json:"reasons,omitempty"`
	OtherReasons []string `json:"otherReasons,omitempty"`
	// ControlPlane is the kind of the control plane in the sandboxes, and Notice the reason if it
	// was not selected.
	ControlPlane string `json:"controlPlane"`
	Notice       string `json:"notice,omitempty"`
	// Pruned counts pairs in states that occurred before, and single faults that were
	// tried at an equivalent operation before.
	Pruned    int `json:"pruned,omitempty"`
	Sandboxes int `json:"sandboxes"`
	// Clean is the duration of the steps of the clean run, and Duration of all runs.
	Clean    time.Duration `json:"clean"`
	Duration time.Duration `json:"duration"`
	// Seams is the overhead of the seams, if measured.
	Seams    Seams         `json:"seams,omitzero"`
	Findings []cause.Group `json:"findings,omitempty"`
	// Baseline is about the findings without a fault, which other runs are judged without; nil: there
	// are none.
	Baseline *Baseline `json:"baseline,omitempty"`
	// Shard is the explored part; zero is all. MissingShards are the shards without a state, in a
	// merged report.
	Shard         shard.Shard   `json:"shard,omitzero"`
	Merged        int           `json:"merged,omitempty"` // number of states
	MissingShards []shard.Shard `json:"missingShards,omitempty"`
}

// ErrNothing means that no fault of an exploration had an effect.
var ErrNothing = errors.New("no operation that has a fault happened in its run, so that nothing was tried: " +
	"the operations have other subjects in each run")

// Nothing reports whether cases were run, and none of them reached its operation.
func (r *Report) Nothing() bool { return r.Tried+r.Combined == 0 && len(r.Unreached) > 0 }

// Failed reports whether there is a finding that the load of the machine does not explain.
func (r *Report) Failed() bool {
	return slices.ContainsFunc(r.Findings, func(g cause.Group) bool { return !g.Starved })
}

// Rate is runs per second.
func (r *Report) Rate() float64 {
	if r.Duration == 0 {
		return 0
	}
	return float64(r.Runs) / r.Duration.Seconds()
}

// Untried counts the cases of a phase that were not started.
type Untried struct {
	Phase string `json:"phase"`
	Cases int    `json:"cases"`
	Of    int    `json:"of"`
}
