package chart

import (
	"slices"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/report"
	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
)

// bad reports whether an event shows an unexpected failure.
func bad(s report.Scenario, e journal.Event) bool {
	return unsuccessful(e) && !expected(s, e)
}

func unsuccessful(e journal.Event) bool {
	return e.Failed() || (e.Seam == journal.SeamLog && e.Operation.Name == "error") || e.Operation.Name == journal.StepCrash
}

// expected reports whether the scenario caused a failure, or accepts it: a fault or a step of the
// scenario caused it, or the scenario passed. Evidence of a failure is never expected.
func expected(s report.Scenario, e journal.Event) bool {
	for i := range s.Failures {
		if slices.Contains(s.Failures[i].Events, e.Seq) {
			return false
		}
	}
	switch {
	case s.Outcome == outcome.Passed, e.Fault != "":
		return true
	case e.Seam == journal.SeamStore:
		return passedDuring(s, e.Time, "s3")
	case e.Seam == journal.SeamProcess:
		return passedDuring(s, e.Time, "crash", "restart", "stop")
	default:
		return false
	}
}

func passedDuring(s report.Scenario, at time.Time, verbs ...string) bool {
	return slices.ContainsFunc(s.Steps, func(step report.Step) bool {
		return step.Outcome == outcome.Passed && slices.Contains(verbs, step.Verb) &&
			!at.Before(step.Started) && at.Before(step.Started.Add(step.Duration))
	})
}
