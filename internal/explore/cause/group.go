package cause

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/cosi-emu/cosi-emu/internal/controlplane/kind"
	"github.com/cosi-emu/cosi-emu/internal/explore/plan"
	"github.com/cosi-emu/cosi-emu/internal/explore/run"
	"github.com/cosi-emu/cosi-emu/internal/oracle/checks"
	"github.com/cosi-emu/cosi-emu/internal/report"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
)

// Group has the findings of one bug: findings with the same cause, or, if the cause is unknown,
// with the same oracle and message. Names, numbers and times in messages do not count.
type Group struct {
	// Oracle, Message, Subject, Rule, Explanation and Case describe the simplest run.
	Oracle  string `json:"oracle"`
	Message string `json:"message"`
	Subject string `json:"subject,omitempty"`
	// Rule is the ID of the statement that demands otherwise, as in docs/profiles.md. It is empty if there is none.
	Rule string `json:"rule,omitempty"`
	Explanation
	Case plan.Case `json:"case"`
	// Others are the other findings of the runs, one of each oracle and message.
	Others []checks.Finding `json:"others,omitempty"`
	Cases  []string         `json:"cases"`
	// Known is the finding of an earlier scenario that has the same cause and message. It is confirmed, so that this one
	// is not run again.
	Known *Reference `json:"known,omitempty"`
	// Confirmed reports whether the finding occurred again in another run of the same
	// case, and Runs is the number of runs of that case.
	Confirmed bool `json:"confirmed"`
	Runs      int  `json:"runs"`
	// Starved reports whether the finding did not occur again, and the machine was starved in each run that had it. It
	// does not fail the exploration.
	Starved bool `json:"starved,omitempty"`
	// ConfirmedOn are the control planes on which a confirmed finding occurred again: the
	// exploration's own, and envtest, if it is installed. Doubt is the reason why envtest has not
	// confirmed it.
	ConfirmedOn []kind.Kind `json:"confirmedOn,omitempty"`
	Doubt       string      `json:"doubt,omitempty"`
	// Shrunk is a small scenario with the finding, and Trials the number of runs of the shrinking.
	// Unconfirmed findings have none.
	Shrunk string `json:"shrunk,omitempty"`
	Trials int    `json:"trials,omitempty"`
	// Verified reports whether the shrunk scenario, run like 'cosi-emu run', fails by the same
	// oracle. Rerun is the outcome.
	Verified bool   `json:"verified,omitempty"`
	Rerun    string `json:"rerun,omitempty"`
	// File is the file of the shrunk scenario. Recording and Timeline are the files of
	// that run.
	File      string `json:"file,omitempty"`
	Recording string `json:"recording,omitempty"`
	Timeline  string `json:"timeline,omitempty"`

	// Results are the runs with the findings, the simplest first.
	Results []Result `json:"-"`
	// Shown is the run of the shrunk scenario, or of the case.
	Shown report.Scenario `json:"-"`
}

// Reference names a finding in the report of a scenario.
type Reference struct {
	Scenario string `json:"scenario"`
	Finding  int    `json:"finding"`
}

// String returns a name for people.
func (r Reference) String() string { return fmt.Sprintf("finding %d of %s", r.Finding, r.Scenario) }

// confirmation names the control planes that confirmed a finding. It is empty if envtest is the
// only one.
func (g *Group) confirmation() string {
	if len(g.ConfirmedOn) == 0 || slices.Equal(g.ConfirmedOn, []kind.Kind{kind.Envtest}) {
		return ""
	}
	var names []string
	for _, kind := range g.ConfirmedOn {
		names = append(names, string(kind))
	}
	text := "confirmed on " + strings.Join(names, " and ")
	if g.Doubt != "" {
		text += fmt.Sprintf(", not on %s: %s", kind.Envtest, g.Doubt)
	}
	return text
}

// Groups groups runs by the cause of their bug. A run with an unknown cause joins the runs with the
// same first finding, if they all have one cause. Those without a fault are first.
func Groups(found []Result) []Group {
	var groups []Group
	for _, known := range []bool{true, false} {
		for _, result := range found {
			if (result.Cause != "") != known {
				continue
			}
			at := groupOf(groups, result)
			if at < 0 {
				at = len(groups)
				groups = append(groups, Group{})
			}
			groups[at].Results = append(groups[at].Results, result)
		}
	}
	for i := range groups {
		groups[i].conclude()
	}
	slices.SortStableFunc(groups, func(a, b Group) int {
		return cmp.Or(cmp.Compare(min(1, len(a.Case)), min(1, len(b.Case))), cmp.Compare(rank(a.Oracle), rank(b.Oracle)))
	})
	return groups
}

func groupOf(groups []Group, result Result) int {
	if result.Cause != "" {
		return slices.IndexFunc(groups, func(g Group) bool { return g.Results[0].Cause == result.Cause })
	}
	var alike []int
	for i, g := range groups {
		if slices.ContainsFunc(g.Results, result.sameFinding) {
			alike = append(alike, i)
		}
	}
	if len(alike) == 1 {
		return alike[0]
	}
	return slices.IndexFunc(groups, func(g Group) bool { return g.Results[0].Cause == "" && result.sameFinding(g.Results[0]) })
}

func same(a, b checks.Finding) bool {
	return a.Oracle == b.Oracle && run.Normalized(a.Message) == run.Normalized(b.Message)
}

// MarkStarved sets Starved, once the group has been run again.
func (g *Group) MarkStarved() {
	g.Starved = !g.Confirmed && g.Runs > 0 && !slices.ContainsFunc(g.Results, func(r Result) bool { return !r.Starved })
}

// conclude sorts the runs of a group, the simplest first, and takes the first as example.
func (g *Group) conclude() {
	slices.SortStableFunc(g.Results, func(a, b Result) int {
		return cmp.Or(cmp.Compare(len(a.Case), len(b.Case)), cmp.Compare(rank(a.Findings[0].Oracle), rank(b.Findings[0].Oracle)))
	})
	for _, o := range g.Results {
		g.Cases = append(g.Cases, o.Case.String())
	}
	g.Represent(g.Results[0])
}

// Represent takes the finding of a run as the example of the group.
func (g *Group) Represent(o Result) {
	first := o.Findings[0]
	if o.Observed != nil {
		g.Shown = report.NewScenario(o.Observed.Result, o.Observed.Events)
	}
	g.Oracle, g.Message, g.Subject, g.Rule = first.Oracle, first.Message, first.Subject, first.Rule
	g.Explanation, g.Case = o.Explanation, o.Case
	g.Others = nil
	for _, other := range g.Results {
		for _, f := range other.Findings {
			if !same(f, first) && !slices.ContainsFunc(g.Others, func(known checks.Finding) bool { return same(known, f) }) {
				g.Others = append(g.Others, f)
			}
		}
	}
}

// rank orders oracles by how well their findings indicate the cause.
func rank(name string) int {
	order := append(vocabulary.OracleNames(),
		run.OracleInnocent, run.OracleDeletable, run.OracleWakeUp, run.OracleBackend, run.OracleState, run.OracleSteps, run.OracleCounts)
	if at := slices.Index(order, name); at >= 0 {
		return at
	}
	return len(order)
}
