package explore

import (
	"cmp"
	"slices"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/emulator/vocabulary"
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
	// Runs counts all runs, including repeated ones.
	Runs int `json:"runs"`
	// Unreached are cases whose operation did not happen in any attempt.
	Unreached []string `json:"unreached,omitempty"`
	// Pruned counts pairs in states that occurred before, and single faults that were
	// tried at an equivalent operation before.
	Pruned    int `json:"pruned,omitempty"`
	Sandboxes int `json:"sandboxes"`
	// Clean is the duration of the steps of the clean run, and Duration that of all runs.
	Clean    time.Duration `json:"clean"`
	Duration time.Duration `json:"duration"`
	// Seams is the overhead of the seams, if measured.
	Seams    Seams   `json:"seams,omitzero"`
	Findings []Group `json:"findings,omitempty"`
}

// Rate is runs per second.
func (r *Report) Rate() float64 {
	if r.Duration == 0 {
		return 0
	}
	return float64(r.Runs) / r.Duration.Seconds()
}

// Group is a group of findings with probably the same cause: the same oracle, and the same
// first difference from the clean run.
type Group struct {
	Oracle   string `json:"oracle"`
	Diverged string `json:"diverged"`
	// Message, Why and Case are of the simplest run.
	Message     string `json:"message"`
	Explanation string `json:"why"`
	Case        Case   `json:"case"`
	// Cases are the cases of all runs, as text.
	Cases []string `json:"cases"`
	// Confirmed reports whether the finding occurred again in another run of the same
	// case, and Runs is the number of runs of that case.
	Confirmed bool `json:"confirmed"`
	Runs      int  `json:"runs"`
	// Shrunk is a small scenario with the finding, and Trials the number of runs of the
	// shrinking. Findings that are not confirmed have none.
	Shrunk string `json:"shrunk,omitempty"`
	Trials int    `json:"trials,omitempty"`
	// Verified reports whether the shrunk scenario, run as 'cosi-emu run' does, fails by
	// the same oracle. Rerun is the outcome of that run.
	Verified bool   `json:"verified,omitempty"`
	Rerun    string `json:"rerun,omitempty"`
	// File is the file of the shrunk scenario. Recording and Timeline are the files of
	// that run.
	File      string `json:"file,omitempty"`
	Recording string `json:"recording,omitempty"`
	Timeline  string `json:"timeline,omitempty"`

	outcomes []caseResult // the simplest first
}

// group groups runs by their first finding, because other findings usually follow from it.
func group(found []caseResult) []Group {
	var groups []Group
	for _, result := range found {
		first := result.Findings[0]
		at := slices.IndexFunc(groups, func(g Group) bool { return g.Oracle == first.Oracle && g.Diverged == result.Diverged })
		if at < 0 {
			groups = append(groups, Group{Oracle: first.Oracle, Diverged: result.Diverged})
			at = len(groups) - 1
		}
		g := &groups[at]
		g.Cases, g.outcomes = append(g.Cases, result.Case.String()), append(g.outcomes, result)
	}
	for i := range groups {
		g := &groups[i]
		slices.SortStableFunc(g.outcomes, func(a, b caseResult) int { return cmp.Compare(len(a.Case), len(b.Case)) })
		g.represent(g.outcomes[0])
	}
	slices.SortStableFunc(groups, func(a, b Group) int { return cmp.Compare(rank(a.Oracle), rank(b.Oracle)) })
	return groups
}

// represent makes one run the example of the group.
func (g *Group) represent(o caseResult) {
	g.Case, g.Message, g.Explanation = o.Case, o.Findings[0].Message, o.Why
}

// rank orders oracles by how well their findings indicate the cause.
func rank(name string) int {
	order := append(vocabulary.OracleNames(), OracleDeletable, OracleTruth, OracleState, OracleSteps, OracleCounts)
	if at := slices.Index(order, name); at >= 0 {
		return at
	}
	return len(order)
}
