package source

import (
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/glob"
)

// skippedVerbs lists the verbs whose steps exploration skips: a dump differs after a fault, and a
// fault in a program outside the emulator is not a fault of COSI.
var skippedVerbs = []string{"golden", "exec", "logs"}

// Rewrite rewrites the steps of a scenario for exploration, both for runs and for shrinking.
// Every run has faults, so:
//
//   - steps that exploration leaves out are removed, with the lists that become empty;
//   - calls waits for the same events, in any number and any order, and does not wait
//     for the answer to a write that a component does not repeat;
//   - never and calls ignore Kubernetes Events, which may be lost, and which report faults.
func Rewrite(steps *yaml.Node) {
	if steps == nil {
		return
	}
	steps.Content = slices.DeleteFunc(steps.Content, func(step *yaml.Node) bool { return !rewriteStep(step) })
}

// rewriteStep reports whether anything of the step is left.
func rewriteStep(step *yaml.Node) bool {
	if slices.ContainsFunc(skippedVerbs, func(verb string) bool { return Field(step, verb) != nil }) {
		return false
	}
	if lists := Nested(step); len(lists) > 0 {
		for _, steps := range lists {
			Rewrite(steps)
		}
		if branches := Field(step, "parallel"); branches != nil {
			branches.Content = slices.DeleteFunc(branches.Content, func(steps *yaml.Node) bool { return len(steps.Content) == 0 })
		}
		return slices.ContainsFunc(lists, func(steps *yaml.Node) bool { return len(steps.Content) > 0 })
	}
	if calls := Field(step, "calls"); calls != nil {
		return rewriteCalls(calls)
	}
	if never := Field(step, "never"); never != nil {
		return removeEvents(never, func(event *yaml.Node) bool { return writesEvents(event) || mayReport(event) })
	}
	return true
}

// mayReport reports whether an event pattern covers writes by which a component reports a
// fault in a status, or tries again with an old version.
func mayReport(event *yaml.Node) bool {
	verb, _, _ := strings.Cut(Value(event, "operation"), " ")
	return Value(event, "seam") == string(journal.SeamAPI) && (glob.Match(verb, "patch") || glob.Match(verb, "update"))
}

// rewriteCalls reports whether any event is left to wait for.
func rewriteCalls(calls *yaml.Node) bool {
	left := removeEvents(calls, func(event *yaml.Node) bool {
		return writesEvents(event) || Field(event, "count") != nil && allowsZero.MatchString(Value(event, "count"))
	})
	if left {
		for _, event := range Field(calls, "events").Content {
			Drop(event, "count")
			if mayBeLost(event) {
				Drop(event, "outcome")
			}
		}
	}
	Drop(calls, "only")
	Drop(calls, "anyOrder")
	calls.Content = append(calls.Content, Scalar("anyOrder"), Scalar("true"))
	return left
}

// allowsZero matches a count that includes 0.
var allowsZero = regexp.MustCompile(`^0*(\.\..*)?$`)

// mayBeLost reports whether the answer to an event may be lost for good. No component repeats a
// write that has changed the API server. Components repeat reads, and calls of the driver, until
// they get an answer.
func mayBeLost(event *yaml.Node) bool {
	return Value(event, "seam") == string(journal.SeamAPI) && Value(event, "outcome") == journal.OutcomeOK &&
		!reading.MatchString(Value(event, "operation"))
}

var reading = regexp.MustCompile(`^(get|list|watch|event) `)

func writesEvents(event *yaml.Node) bool {
	return strings.HasSuffix(Value(event, "operation"), " events")
}

func removeEvents(asked *yaml.Node, which func(*yaml.Node) bool) bool {
	events := Field(asked, "events")
	if events == nil {
		return false
	}
	events.Content = slices.DeleteFunc(events.Content, which)
	return len(events.Content) > 0
}
