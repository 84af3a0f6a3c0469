package outcome

import (
	"slices"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/eventscope"
	"github.com/cosi-emu/cosi-emu/internal/oracle/observed"
	"github.com/cosi-emu/cosi-emu/internal/scenario/match"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec/document"
)

// Outcome is the outcome of a scenario.
type Outcome string

// The outcomes.
const (
	// Passed: all expectations were met.
	Passed Outcome = "passed"
	// Failed: an expectation was not met.
	Failed Outcome = "failed"
	// Skipped: it requires something that is missing, for example an emulator.
	Skipped Outcome = "skipped"
	// Broken: it could not be completed, which is no judgement of COSI.
	Broken Outcome = "broken"
)

// Result is the result of a scenario.
type Result struct {
	Scenario  *spec.Scenario
	Outcome   Outcome
	Namespace string
	Started   time.Time
	Duration  time.Duration
	Steps     []StepResult
	// Failures are the failures of steps, of the clean-up and of oracles.
	Failures []Failure
	// Reason is the reason for skipping the scenario.
	Reason string
	// From and To are the numbers of the first and the last event in the journal. Forced is the number of the
	// last event before the clean-up removed finalizers by force; 0: it did not. Later events are its consequences.
	From, To, Forced uint64
	// Scope identifies the events of the run.
	Scope eventscope.Scope
	// Notes explain what could not be judged, and why.
	Notes []string
	// Observed is the input of the oracles, without the events.
	Observed observed.Input
}

// StepResult is the result of one step. Steps inside another have their own.
type StepResult struct {
	Step     *spec.Step
	Started  time.Time
	Duration time.Duration
	Passed   bool // false also for a skipped step
	Skipped  bool
	// External are the buckets and accounts that the steps so far have changed without COSI.
	External []string
}

// Failure is an expectation that was not met.
type Failure struct { //nolint:errname // a failed expectation is a failure, not a program error
	// Step is nil for findings at the end.
	Step     *spec.Step
	Position document.Position
	// Oracle is the standing oracle that reports the failure, if any.
	Oracle string
	// Events are the sequence numbers of the events that show it, if known.
	Events []uint64
	// Message describes the failure in one line.
	Message string
	// Subject is the failing object, KIND/NAME, if any.
	Subject string
	// Differences are the differences between expected and actual state.
	Differences []match.Difference
	// Expected and Got are YAML; empty if there is nothing to compare.
	Expected, Got string
	// Notes describe the circumstances of a timeout: operations in flight, ended processes, a
	// starved machine. A finding of an oracle has the sentence that demands otherwise.
	Notes []string
	// Broken means that the run failed, and not COSI.
	Broken bool
	// Terminal means that more time changes nothing: COSI does not retry until an object is corrected, or an object that another
	// one names does not exist.
	Terminal bool

	// Rejection is the API server's message, if it rejected a request.
	Rejection string
}

// Events returns the events of the run that a scope selects, and the evidence of its failures.
func (r *Result) Events(j *journal.Journal, scope eventscope.Scope) []journal.Event {
	var evidence []uint64
	for _, failure := range r.Failures {
		evidence = append(evidence, failure.Events...)
	}
	return slices.DeleteFunc(j.Since(r.From-1), func(e journal.Event) bool {
		return e.Seq > r.To || !scope.Concerns(e) && !slices.Contains(evidence, e.Seq)
	})
}

// Redact removes the secret values that a journal knows from the failures.
func (r *Result) Redact(j *journal.Journal) {
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
	if f.Position == (document.Position{}) {
		return f.Message // the step is not known yet
	}
	return f.Position.String() + ": " + f.Message
}
