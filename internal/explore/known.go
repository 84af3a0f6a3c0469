package explore

import (
	"github.com/cosi-emu/cosi-emu/internal/explore/cause"
	"github.com/cosi-emu/cosi-emu/internal/explore/run"
)

// knownBugs are the confirmed findings of the scenarios so far.
type knownBugs map[bug]cause.Reference

// bug is equal for findings of different scenarios that have one cause and one effect. Scenarios differ more than the
// runs of one, so that the cause alone is not enough: a driver may reject two requests for two reasons.
type bug struct{ cause, oracle, message string }

func bugOf(g *cause.Group) bug { return bug{g.Cause, g.Oracle, run.Normalized(g.Message)} }

// refer has the findings of known bugs refer to the earlier scenario.
func (k knownBugs) refer(r *Report) {
	for i := range r.Findings {
		if earlier, ok := k[bugOf(&r.Findings[i])]; ok {
			r.Findings[i].Known = &earlier
		}
	}
}

// add adds the confirmed findings of a scenario. One with an unknown cause may be another bug.
func (k knownBugs) add(r *Report) {
	for i := range r.Findings {
		if g := &r.Findings[i]; g.Confirmed && g.Cause != "" {
			k[bugOf(g)] = cause.Reference{Scenario: r.Scenario, Finding: i + 1}
		}
	}
}

// Recurring returns the scenarios with findings that refer to another, in order.
func Recurring(explorations ...*Report) map[cause.Reference][]string {
	again := map[cause.Reference][]string{}
	for _, r := range explorations {
		for i := range r.Findings {
			if known := r.Findings[i].Known; known != nil {
				again[*known] = append(again[*known], r.Scenario)
			}
		}
	}
	return again
}
