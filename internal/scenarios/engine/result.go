package engine

import (
	"time"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/emulator/eventscope"
	"github.com/cosi-emu/cosi-emu/internal/emulator/oracle"
	"github.com/cosi-emu/cosi-emu/internal/scenarios/match"
	"github.com/cosi-emu/cosi-emu/internal/scenarios/spec"
)

// Outcome is how a scenario ended.
type Outcome string

// The outcomes.
const (
	// Passed: all expectations were met.
	Passed Outcome = "passed"
	// Failed: an expectation was not met.
	Failed Outcome = "failed"
	// Skipped: it requires something that is missing, for example an emulator.
	Skipped Outcome = "skipped"
	// Broken: it could not be completed, and says nothing about COSI.
	Broken Outcome = "broken"
)

// Result is what a scenario has shown.
type Result struct {
	Scenario  *spec.Scenario
	Outcome   Outcome
	Namespace string
	Started   time.Time
	Duration  time.Duration
	Steps     []StepResult
	// Failures are why it did not pass: of steps, of the clean-up, of oracles.
	Failures []Failure
	// Reason is why it was skipped.
	Reason string
	// From and To are the numbers of the first and the last event in the journal.
	From, To uint64
	// Scope identifies the events of the run.
	Scope eventscope.Scope
	// Judged is what the oracles have judged, without the events.
	Observed oracle.Input
}

// StepResult is how one step went; steps within others have their own.
type StepResult struct {
	Step     *spec.Step
	Started  time.Time
	Duration time.Duration
	Passed   bool // false also for a skipped step
	Skipped  bool
}

// Failure is an expectation that was not met.
type Failure struct { //nolint:errname // it is what people call it
	// Step is nil for what is judged at the end.
	Step     *spec.Step
	Position spec.Position
	// Oracle is the standing oracle that has found it, if one has.
	Oracle string
	// Events are the numbers of the events that show it, if it is known which.
	Events []uint64
	// Message says what is wrong, in a line.
	Message string
	// Subject is the object that it is about, KIND/NAME, if there is one.
	Subject string
	// Differences are between what was expected and what there was.
	Differences []match.Difference
	// Expected and Got are YAML; empty where there is nothing to compare.
	Expected, Got string
	// Notes say, for a timeout, what was going on: operations in flight, ended processes, a
	// starved machine.
	Notes []string
	// Broken says that it is about the run itself, and not about COSI.
	Broken bool

	rejection string // the API server's message, if it has rejected a request
}

// redact removes the secret values that are known from what is reported.
func (r *Result) redact(j *journal.Journal) {
	for i := range r.Failures {
		f := &r.Failures[i]
		texts := []*string{&f.Message, &f.Subject, &f.Expected, &f.Got}
		for d := range f.Differences {
			texts = append(texts, &f.Differences[d].Path, &f.Differences[d].Want, &f.Differences[d].Got)
		}
		for _, text := range texts {
			*text, _ = j.Redact(*text)
		}
	}
}

// Error implements the error interface.
func (f *Failure) Error() string {
	if f.Position == (spec.Position{}) {
		return f.Message // it is not known yet of which step it is
	}
	return f.Position.String() + ": " + f.Message
}

// Observer is told what happens while scenarios run. Its methods are called from
// several goroutines at the same time.
type Observer interface {
	ScenarioStarted(s *spec.Scenario, namespace string)
	StepStarted(s *spec.Scenario, step *spec.Step)
	StepEnded(s *spec.Scenario, step StepResult)
	ScenarioEnded(r Result)
}

// Observers are told one after the other.
type Observers []Observer

// ScenarioStarted implements Observer.
func (o Observers) ScenarioStarted(s *spec.Scenario, namespace string) {
	for _, one := range o {
		one.ScenarioStarted(s, namespace)
	}
}

// StepStarted implements Observer.
func (o Observers) StepStarted(s *spec.Scenario, step *spec.Step) {
	for _, one := range o {
		one.StepStarted(s, step)
	}
}

// StepEnded implements Observer.
func (o Observers) StepEnded(s *spec.Scenario, step StepResult) {
	for _, one := range o {
		one.StepEnded(s, step)
	}
}

// ScenarioEnded implements Observer.
func (o Observers) ScenarioEnded(r Result) {
	for _, one := range o {
		one.ScenarioEnded(r)
	}
}

// NopObserver is an Observer that does nothing.
type NopObserver struct{}

// ScenarioStarted implements Observer.
func (NopObserver) ScenarioStarted(*spec.Scenario, string) {}

// StepStarted implements Observer.
func (NopObserver) StepStarted(*spec.Scenario, *spec.Step) {}

// StepEnded implements Observer.
func (NopObserver) StepEnded(*spec.Scenario, StepResult) {}

// ScenarioEnded implements Observer.
func (NopObserver) ScenarioEnded(Result) {}
