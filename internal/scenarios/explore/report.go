package explore

import (
	"cmp"
	"slices"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/emulator/vocabulary"
)

// Report is what an exploration has shown.
type Report struct {
	Scenario string `json:"scenario"`
	// Points counts the operations of the clean run, Applicable the effects that they
	// can suffer, one with another, and Tried those that were.
	Points     int `json:"points"`
	Applicable int `json:"applicable"`
	Tried      int `json:"tried"`
	// Combined counts cases of several faults.
	Combined int `json:"combined,omitempty"`
	// Runs counts all runs, those that were repeated included.
	Runs int `json:"runs"`
	// Unreached are cases whose operation did not happen, though tried repeatedly.
	Unreached []string `json:"unreached,omitempty"`
	// Pruned counts what comes upon a situation that was seen already: pairs, and
	// single faults that were tried before, by what Options.Prune takes for the same.
	Pruned    int `json:"pruned,omitempty"`
	Sandboxes int `json:"sandboxes"`
	// Clean is how long the steps of the clean run took, Duration all runs together.
	Clean    time.Duration `json:"clean"`
	Duration time.Duration `json:"duration"`
	// Seams is what the seams cost, if it was measured.
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

// Group is findings that have one cause, as far as can be told: the same oracle,
// and the same event with which the runs left the way of the clean one.
type Group struct {
	Oracle   string `json:"oracle"`
	Diverged string `json:"diverged"`
	// Message, Why and Case are of the simplest run.
	Message     string `json:"message"`
	Explanation string `json:"why"`
	Case        Case   `json:"case"`
	// Cases are all runs, for people.
	Cases []string `json:"cases"`
	// Confirmed says that it was seen again in a second run of the same case, and Runs
	// how many runs of the case there were until then, or in vain.
	Confirmed bool `json:"confirmed"`
	Runs      int  `json:"runs"`
	// Shrunk is a small scenario that shows it, and Trials how many runs it took to
	// find it. There is none of what was not confirmed.
	Shrunk string `json:"shrunk,omitempty"`
	Trials int    `json:"trials,omitempty"`
	// Verified says that the shrunk scenario, run as 'cosi-emu run' does, fails by the
	// same oracle, and Rerun what has come of that run.
	Verified bool   `json:"verified,omitempty"`
	Rerun    string `json:"rerun,omitempty"`
	// File is where the shrunk scenario was written, and Recording and Timeline where
	// that run of it was.
	File      string `json:"file,omitempty"`
	Recording string `json:"recording,omitempty"`
	Timeline  string `json:"timeline,omitempty"`

	outcomes []caseResult // the simplest first
}

// group puts runs with findings together. Of each run the first finding counts: the
// others follow from it more often than not.
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

// represent has one of the runs stand for the group.
func (g *Group) represent(o caseResult) {
	g.Case, g.Message, g.Explanation = o.Case, o.Findings[0].Message, o.Why
}

// rank orders oracles by how much what they find says about its cause.
func rank(name string) int {
	order := append(vocabulary.OracleNames(), OracleTruth, OracleState, OracleSteps, OracleCounts)
	if at := slices.Index(order, name); at >= 0 {
		return at
	}
	return len(order)
}
