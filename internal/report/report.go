package report

import (
	"time"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
)

// APIVersion names the structure of a Report in JSON. Fields may be added under the same name;
// their meaning does not change.
const APIVersion = "cosi-emu/report/v1alpha1"

// Report is the result of a run of scenarios. In JSON, times are as in RFC 3339, and durations are
// nanoseconds.
type Report struct {
	// APIVersion is the constant of that name.
	APIVersion string `json:"apiVersion"`
	// Version is the version of the program that has run the scenarios.
	Version string `json:"version,omitempty"`
	// Started and Duration exclude the start of the emulator.
	Started  time.Time     `json:"started"`
	Duration time.Duration `json:"duration"`
	// Outcome is the worst outcome: broken, failed, or else passed.
	Outcome outcome.Outcome `json:"outcome"`
	// Counts has the number of scenarios of each outcome.
	Counts map[outcome.Outcome]int `json:"counts"`
	// Notes are the notes of all scenarios, each once.
	Notes []string `json:"notes,omitempty"`
	// Scenarios are in the order in which they were given.
	Scenarios []Scenario `json:"scenarios"`
}

// Scenario is the report of one scenario.
type Scenario struct {
	// Name, Description, Labels and Proves are the scenario's own.
	Name        string            `json:"name"`
	Description string            `json:"description,omitempty"`
	Labels      map[string]string `json:"labels,omitempty"`
	Proves      []string          `json:"proves,omitempty"`
	// Position is the beginning of the scenario.
	Position Position `json:"position"`
	// Namespace is the namespace of its objects.
	Namespace string          `json:"namespace,omitempty"`
	Outcome   outcome.Outcome `json:"outcome"`
	// Reason is the reason for skipping it.
	Reason string `json:"reason,omitempty"`
	// Started and Duration include setting up and cleaning up.
	Started  time.Time     `json:"started"`
	Duration time.Duration `json:"duration"`
	// Steps are the steps that have run, by their beginning. Inner steps follow their outer step.
	Steps []Step `json:"steps"`
	// Failures are the reasons why it has not passed.
	Failures []Failure `json:"failures,omitempty"`
	// Notes explain what could not be judged, and why.
	Notes []string `json:"notes,omitempty"`
	// Sources are the scenario's files, its own first; none if it is not from a file.
	Sources []Source `json:"sources,omitempty"`
	// Recording is the file with the recording, if one was made.
	Recording string `json:"recording,omitempty"`
	// Events are the journal's events about the scenario: its objects, the objects that COSI has
	// made for them, and the life of the components while it ran. Events and steps use the same
	// clock.
	Events []journal.Event `json:"events,omitempty"`
}

// Source is the part of a file that belongs to a scenario.
type Source struct {
	File string `json:"file"`
	// Line is the number of the first line of the text, from 1.
	Line int    `json:"line"`
	Text string `json:"text"`
}

// Step is the report of one step.
type Step struct {
	// Name is the name of the step, if it has one.
	Name string `json:"name,omitempty"`
	Verb string `json:"verb"`
	// Depth is the number of outer steps.
	Depth    int      `json:"depth,omitempty"`
	Position Position `json:"position"`
	// Started and Duration include the inner steps.
	Started  time.Time     `json:"started"`
	Duration time.Duration `json:"duration"`
	// Outcome is passed, failed, or skipped if the step's condition was false.
	Outcome outcome.Outcome `json:"outcome"`
}

// Failure is an expectation that was not met.
type Failure struct {
	// Step is the number of the step in Scenario.Steps, from 0; nil for findings at the end.
	Step *int `json:"step,omitempty"`
	// Position is a place in a file, by default the scenario's.
	Position Position `json:"position"`
	Message  string   `json:"message"`
	// Notes describe the circumstances of a timeout: operations in flight, ended processes, a
	// starved machine. A finding of an oracle has the sentence that demands otherwise.
	Notes []string `json:"notes,omitempty"`
	// Subject is the failing object, KIND/NAME, if any.
	Subject string `json:"subject,omitempty"`
	// Oracle is the standing oracle that reports the failure, if any.
	Oracle string `json:"oracle,omitempty"`
	// Broken means that the run failed, and not COSI.
	Broken bool `json:"broken,omitempty"`
	// Differences are the differences between the expected and the actual value.
	Differences []Difference `json:"differences,omitempty"`
	// Expected and Got are complete, in YAML; empty if there is nothing to compare.
	Expected string `json:"expected,omitempty"`
	Got      string `json:"got,omitempty"`
	// Diff is a unified diff from the expected to the actual value, in YAML, restricted to the
	// scenario's fields.
	Diff string `json:"diff,omitempty"`
	// Events are the numbers of the events that show it, if known.
	Events []uint64 `json:"events,omitempty"`
}

// Difference is one place where a condition is not met.
type Difference struct {
	// Path is the place, for example status.conditions[type=Provisioned].status.
	Path string `json:"path,omitempty"`
	// Want is the expectation, in words or as a value.
	Want string `json:"want"`
	// Got is the actual value; empty if there is none.
	Got string `json:"got,omitempty"`
	// Position is the place of the expectation in the scenario.
	Position Position `json:"position"`
}

// Position is a place in a file. Line and Column count from 1; zero is unknown.
type Position struct {
	File   string `json:"file"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
}
