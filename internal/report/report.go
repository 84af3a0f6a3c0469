package report

import (
	"time"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
)

// APIVersion names the structure of a Report in JSON. Fields may be added under
// the same name; their meaning does not change.
const APIVersion = "cosi-emu/report/v1alpha1"

// Report is what a run of scenarios has shown. In JSON, times are as in RFC 3339,
// and durations are nanoseconds.
type Report struct {
	// APIVersion is the constant of that name.
	APIVersion string `json:"apiVersion"`
	// Version is that of the program that has run the scenarios.
	Version string `json:"version,omitempty"`
	// Started and Duration are those of the run, without the start of the emulator.
	Started  time.Time     `json:"started"`
	Duration time.Duration `json:"duration"`
	// Outcome is the worst of the scenarios': broken, failed, or else passed.
	Outcome outcome.Outcome `json:"outcome"`
	// Counts has the number of scenarios of each outcome.
	Counts map[outcome.Outcome]int `json:"counts"`
	// Notes are those of the scenarios, each once.
	Notes []string `json:"notes,omitempty"`
	// Scenarios are in the order in which they were given.
	Scenarios []Scenario `json:"scenarios"`
}

// Scenario is how one scenario went.
type Scenario struct {
	// Name, Description, Labels and Proves are the scenario's own.
	Name        string            `json:"name"`
	Description string            `json:"description,omitempty"`
	Labels      map[string]string `json:"labels,omitempty"`
	Proves      []string          `json:"proves,omitempty"`
	// Position is where the scenario begins.
	Position Position `json:"position"`
	// Namespace is where its objects were.
	Namespace string          `json:"namespace,omitempty"`
	Outcome   outcome.Outcome `json:"outcome"`
	// Reason is why it was skipped.
	Reason string `json:"reason,omitempty"`
	// Started and Duration include setting up and cleaning up.
	Started  time.Time     `json:"started"`
	Duration time.Duration `json:"duration"`
	// Steps are those that have run, in the order in which they began; steps
	// within others follow them.
	Steps []Step `json:"steps"`
	// Failures are why it has not passed.
	Failures []Failure `json:"failures,omitempty"`
	// Notes say what could not be judged, and why.
	Notes []string `json:"notes,omitempty"`
	// Sources are the files that it consists of, its own first; none if it is not from a file.
	Sources []Source `json:"sources,omitempty"`
	// Recording is the file with the recording, if one was made.
	Recording string `json:"recording,omitempty"`
	// Events are what the journal has that concerns the scenario: its objects,
	// those that COSI has made for them, and the life of the components while it
	// ran. Times are of the same clock as those of the steps.
	Events []journal.Event `json:"events,omitempty"`
}

// Source is the part of a file that belongs to a scenario.
type Source struct {
	File string `json:"file"`
	// Line is that of the first line of the text, from 1.
	Line int    `json:"line"`
	Text string `json:"text"`
}

// Step is how one step went.
type Step struct {
	// Name is the step's own; empty where it has none.
	Name string `json:"name,omitempty"`
	// Verb is what it does.
	Verb string `json:"verb"`
	// Depth counts the steps that it is within.
	Depth int `json:"depth,omitempty"`
	// Position is where it stands.
	Position Position `json:"position"`
	// Started and Duration include the steps within it.
	Started  time.Time     `json:"started"`
	Duration time.Duration `json:"duration"`
	// Outcome is passed, failed, or skipped where its condition was false.
	Outcome outcome.Outcome `json:"outcome"`
}

// Failure is an expectation that was not met.
type Failure struct {
	// Step is the number of the step in Scenario.Steps, from 0; nil for what is
	// judged at the end.
	Step *int `json:"step,omitempty"`
	// Position is where in a file; that of the scenario for what has no place.
	Position Position `json:"position"`
	// Message says what is wrong.
	Message string `json:"message"`
	// Notes say, for a timeout, what was going on: operations in flight, ended processes, a
	// starved machine.
	Notes []string `json:"notes,omitempty"`
	// Subject is the object that it is about, KIND/NAME, if there is one.
	Subject string `json:"subject,omitempty"`
	// Oracle is the standing oracle that has found it, if one has.
	Oracle string `json:"oracle,omitempty"`
	// Broken says that it is about the run itself, and not about COSI.
	Broken bool `json:"broken,omitempty"`
	// Differences are between what was expected and what there was.
	Differences []Difference `json:"differences,omitempty"`
	// Expected and Got are whole, in YAML; empty where there is nothing to compare.
	Expected string `json:"expected,omitempty"`
	Got      string `json:"got,omitempty"`
	// Diff is a unified diff from what was expected to what there was, in YAML and
	// without what the scenario says nothing about.
	Diff string `json:"diff,omitempty"`
	// Events are the numbers of the events that show it, where these are known.
	Events []uint64 `json:"events,omitempty"`
}

// Difference is one place where something: condition not met.
type Difference struct {
	// Path is where, for example status.conditions[type=Provisioned].status.
	Path string `json:"path,omitempty"`
	// Want is what the scenario says, in words or as a value.
	Want string `json:"want"`
	// Got is what is there; empty if nothing is.
	Got string `json:"got,omitempty"`
	// Position is where the scenario says so.
	Position Position `json:"position"`
}

// Position is a place in a file. Line and Column count from 1; zero is unknown.
type Position struct {
	File   string `json:"file"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
}
