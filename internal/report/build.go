package report

import (
	"cmp"
	"slices"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec/document"
)

// New returns a Report about scenarios that a program of the given version has run.
func New(version string, started time.Time, duration time.Duration, scenarios []Scenario) Report {
	r := Report{
		APIVersion: APIVersion, Version: version, Started: started, Duration: duration,
		Outcome: outcome.Passed, Counts: map[outcome.Outcome]int{}, Scenarios: scenarios,
	}
	for _, s := range scenarios {
		r.Counts[s.Outcome]++
		for _, note := range s.Notes {
			if !slices.Contains(r.Notes, note) {
				r.Notes = append(r.Notes, note)
			}
		}
	}
	// A failed scenario decides the outcome, before a broken one.
	for _, worst := range []outcome.Outcome{outcome.Failed, outcome.Broken} {
		if r.Counts[worst] > 0 {
			r.Outcome = worst
			break
		}
	}
	return r
}

// NewScenario returns the report of one scenario with its events.
func NewScenario(result outcome.Result, events []journal.Event) Scenario {
	scenario := result.Scenario
	s := Scenario{
		Name: scenario.Name, Description: scenario.Description, Labels: scenario.Labels, Proves: scenario.Proves,
		Position: position(scenario.Position), Namespace: result.Namespace, Outcome: result.Outcome, Reason: result.Reason,
		Started: result.Started, Duration: result.Duration, Steps: []Step{}, Events: events, Notes: result.Notes,
		Sources: sources(scenario),
	}
	steps := inOrder(result)
	for _, step := range steps {
		s.Steps = append(s.Steps, stepOf(step.StepResult, step.depth, result.Failures))
	}
	for i := range result.Failures {
		s.Failures = append(s.Failures, failureOf(&result.Failures[i], steps))
	}
	return s
}

// nested is the result of a step with its depth.
type nested struct {
	outcome.StepResult

	depth int
}

// inOrder returns the steps in the order of their beginning; the engine has them in the order of
// their end.
func inOrder(result outcome.Result) []nested {
	depths := map[*spec.Step]int{}
	measure(result.Scenario.Steps, 0, depths)
	steps := make([]nested, 0, len(result.Steps))
	for _, step := range result.Steps {
		steps = append(steps, nested{step, depths[step.Step]})
	}
	slices.SortStableFunc(steps, func(a, b nested) int {
		return cmp.Or(a.Started.Compare(b.Started), cmp.Compare(a.depth, b.depth))
	})
	return steps
}

func measure(steps []spec.Step, depth int, depths map[*spec.Step]int) {
	for i := range steps {
		depths[&steps[i]] = depth
		for _, within := range steps[i].Within() {
			measure(within, depth+1, depths)
		}
	}
}

func stepOf(result outcome.StepResult, depth int, failures []outcome.Failure) Step {
	step := Step{
		Name: result.Step.Name, Verb: result.Step.Verb, Depth: depth, Position: position(result.Step.Position),
		Started: result.Started, Duration: result.Duration, Outcome: outcome.Passed,
	}
	switch {
	case result.Skipped:
		step.Outcome = outcome.Skipped
	case !result.Passed && slices.ContainsFunc(failures, func(f outcome.Failure) bool { return f.Step == result.Step && f.Broken }):
		step.Outcome = outcome.Broken
	case !result.Passed:
		step.Outcome = outcome.Failed
	}
	return step
}

func failureOf(f *outcome.Failure, steps []nested) Failure {
	failure := Failure{
		Position: position(f.Position), Message: f.Message, Subject: f.Subject, Oracle: f.Oracle, Events: f.Events,
		Notes: f.Notes, Broken: f.Broken, Expected: f.Expected, Got: f.Got,
	}
	for i, step := range slices.Backward(steps) { // a step that is repeated fails the last time
		if f.Step != nil && step.Step == f.Step && !step.Passed && !step.Skipped {
			failure.Step = new(i)
			break
		}
	}
	for _, d := range f.Differences {
		failure.Differences = append(failure.Differences, Difference{Path: d.Path, Want: d.Want, Got: d.Got, Position: position(d.Position)})
	}
	failure.Diff = diff(failure)
	return failure
}

func position(p document.Position) Position { return Position(p) }
