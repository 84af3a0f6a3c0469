package conformance

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/report"
	"github.com/cosi-emu/cosi-emu/internal/report/timeline"
	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
)

// WriteHTML writes the report as one file without external resources: the verdicts, and each
// check with its calls on a time axis.
func (r *Report) WriteHTML(w io.Writer) error {
	results := r.byUrgency()
	all := make([]report.Scenario, 0, len(results))
	for _, result := range results {
		all = append(all, result.entry())
	}
	failed, links, reruns := 0, map[string]string{}, map[string]string{}
	for i := range r.Results {
		links[r.Results[i].name()] = r.Results[i].Check.Link
		if f := r.Results[i].Failure; f != nil {
			reruns[r.Results[i].name()] = f.Rerun
		}
		if r.Results[i].State == Fail {
			failed++
		}
	}
	document := report.New(r.ToolVersion, r.Started, r.Took, all)
	return timeline.WriteAs(w, document, timeline.Presentation{
		Title: fmt.Sprintf("COSI conformance of %s: %s", r.name(), r.headline()), Noun: "check", User: "suite",
		Outcomes: map[outcome.Outcome]string{
			outcome.Passed: Pass, outcome.Failed: Fail, outcome.Broken: NotReached, outcome.Skipped: "skipped, not supported or not proved",
		},
		Links:   links,
		Rerun:   func(s report.Scenario) string { return reruns[s.Name] },
		Summary: r.summary(failed),
	})
}

// byUrgency returns the results with those first that a reader has to act on.
func (r *Report) byUrgency() []Result {
	rank := func(result Result) int {
		return cmp.Or(slices.Index([]string{Fail, NotReached, NotProved, Pass}, result.State)+1, len(checkStates))
	}
	sorted := slices.Clone(r.Results)
	slices.SortStableFunc(sorted, func(a, b Result) int { return cmp.Compare(rank(a), rank(b)) })
	return sorted
}

// checkStates are the states of a check, in the order of the table of verdicts.
var checkStates = []string{Pass, Fail, NotReached, NotProved, Skipped, NotSupported}

// name returns the driver's name for the page.
func (r *Report) name() string { return cmp.Or(r.Driver, "a driver") }

// headline is the verdict in a few words.
func (r *Report) headline() string {
	profiles := r.conformant()
	if r.untested() {
		return NotTested
	}
	if len(profiles) == 0 {
		return r.worst()
	}
	return "conformant to " + strings.Join(profiles, ", ")
}

// worst is the verdict about a driver that conforms to no profile.
func (r *Report) worst() string {
	has := func(verdict string) bool {
		return slices.ContainsFunc(r.Verdicts, func(v Verdict) bool { return v.Verdict == verdict })
	}
	if !has(NotConformant) && has(Unproved) {
		return Unproved
	}
	return NotConformant
}

// outcomeOf returns the state of a check in the word of a report.
func outcomeOf(state string) outcome.Outcome {
	switch state {
	case Pass:
		return outcome.Passed
	case Fail:
		return outcome.Failed
	case NotReached:
		return outcome.Broken
	default:
		return outcome.Skipped
	}
}

// name returns the name of a check among the entries of the timeline.
func (r Result) name() string { return r.Check.ID + " " + r.Check.Title }

// entry is a result as an entry of the timeline: a step of the suite, and what happened
// during it.
func (r Result) entry() report.Scenario {
	outcome := outcomeOf(r.State)
	started := r.Started
	s := report.Scenario{
		Name: r.name(), Outcome: outcome, Reason: r.Reason, Started: started, Duration: r.Took,
		Description: fmt.Sprintf("%q (%s)", r.Check.Sentence, r.Check.Source), Proves: r.Check.Classes, Events: r.events,
		Labels: map[string]string{"profile": r.Check.Profile, "level": r.Check.Level}, Steps: []report.Step{},
	}
	if r.Check.Generation != "" {
		s.Labels["generation"] = r.Check.Generation
	}
	if r.State == NotSupported || r.State == Skipped || r.State == NotProved {
		s.Reason = r.State + ": " + r.Reason
		return s
	}
	s.Steps = []report.Step{{Name: r.Check.ID, Verb: "check", Started: started, Duration: r.Took, Outcome: outcome}}
	s.Failures = r.failures()
	return s
}

func (r Result) failures() []report.Failure {
	var all []report.Failure
	if f := r.Failure; f != nil {
		all = append(all, report.Failure{
			Step: new(0), Message: r.summary(), Expected: f.Expected, Got: f.Got,
			Notes: []string{"Why: " + f.Why},
		})
	}
	if r.State == NotReached {
		all = append(all, report.Failure{Step: new(0), Broken: true, Message: r.summary()})
	}
	for _, leftover := range r.Leftovers {
		all = append(all, report.Failure{Message: "left behind: " + leftover, Broken: true})
	}
	return all
}

// summary returns the first part of the page.
func (r *Report) summary(failed int) *timeline.Summary {
	s := &timeline.Summary{Heading: r.headline(), Facts: r.facts(), Notes: []string{r.plain(failed)}, Tables: []timeline.Table{r.verdicts()}}
	if r.Slow != "" {
		s.Notes = append(s.Notes, r.Slow)
	}
	if r.Problem != "" {
		s.Notes = append(s.Notes, r.problem())
	}
	if len(r.FixFirst) > 0 {
		s.Tables = append(s.Tables, r.fixFirst())
	}
	if len(r.Differences) > 0 {
		s.Tables = append(s.Tables, r.differences())
	}
	return s
}

// plain is the verdict in plain words.
func (r *Report) plain(failed int) string {
	if failed == 0 {
		return fmt.Sprintf("No check of %d failed.", len(r.Results))
	}
	return fmt.Sprintf("%d of %d checks failed. A profile is conformant when "+
		"no MUST check failed, was skipped, was not reached or was not proved.",
		failed, len(r.Results))
}

func (r *Report) facts() []timeline.Fact {
	var all []timeline.Fact
	for _, fact := range []timeline.Fact{
		{Name: "Driver", Text: r.Driver}, {Name: "Implementation", Text: r.Parameters.Implementation.String()},
		{Name: "Generation", Text: r.Generation}, {Name: "Dialect", Text: string(r.Dialect)},
		{Name: "Protocols", Text: strings.Join(r.Protocols, ", ")},
		{Name: "Endpoint", Text: r.Endpoint}, {Name: "Command", Text: r.Command}, {Name: "Seed", Text: r.Seed},
		{Name: "Tool", Text: r.ToolVersion}, {Name: "Started", Text: r.Started.Format(time.RFC1123Z)},
		{Name: "Took", Text: r.Took.Round(time.Millisecond).String()},
	} {
		if fact.Text != "" {
			all = append(all, fact)
		}
	}
	return all
}

func (r *Report) verdicts() timeline.Table {
	table := timeline.Table{Heading: "Verdicts", Header: append([]string{"profile", "verdict"}, checkStates...)}
	sum := map[string]int{}
	for _, v := range r.Verdicts {
		row := []timeline.Cell{{Text: v.Profile}, {Text: v.Verdict, Outcome: badgeOf(v.Verdict)}}
		for _, state := range checkStates {
			row = append(row, timeline.Cell{Text: fmt.Sprint(v.Counts[state])})
			sum[state] += v.Counts[state]
		}
		table.Rows = append(table.Rows, row)
	}
	total := []timeline.Cell{{Text: "all"}, {}}
	for _, state := range checkStates {
		total = append(total, timeline.Cell{Text: fmt.Sprint(sum[state])})
	}
	table.Rows = append(table.Rows, total)
	return table
}

func badgeOf(verdict string) outcome.Outcome {
	switch verdict {
	case Conformant:
		return outcome.Passed
	case NotConformant:
		return outcome.Failed
	case Partial:
		return outcome.Broken
	default:
		return outcome.Skipped
	}
}

// differences lists the differences of the driver's dialect from the KEP.
func (r *Report) differences() timeline.Table {
	table := timeline.Table{Heading: differencesHeading, Header: []string{"subject", string(r.Dialect), "kep"}}
	for _, d := range r.Differences {
		table.Rows = append(table.Rows, []timeline.Cell{{Text: d.Subject}, {Text: d.Dialect}, {Text: d.KEP}})
	}
	return table
}

// fixFirst lists the most important failures.
func (r *Report) fixFirst() timeline.Table {
	table := timeline.Table{Heading: "Fix first", Header: []string{"check", "level", "problem"}}
	results := r.byUrgency()
	for _, id := range r.FixFirst {
		for i, result := range results {
			if result.Check.ID != id {
				continue
			}
			table.Rows = append(table.Rows, []timeline.Cell{
				{Text: id + " " + result.Check.Title, Entry: i + 1}, {Text: result.Check.Level}, {Text: result.summary()},
			})
		}
	}
	return table
}
