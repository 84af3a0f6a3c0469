package run

import (
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/internal/oracle"
	"github.com/cosi-emu/cosi-emu/internal/oracle/checks"
	"github.com/cosi-emu/cosi-emu/internal/oracle/observed"
	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
)

// The oracles of exploration, in addition to the standing ones. They compare with the
// clean run.
const (
	// OracleSteps: the expectations of the scenario hold in spite of the fault.
	OracleSteps = "steps"
	// OracleState: Kubernetes ends in the same state as in the clean run.
	OracleState = "state"
	// OracleBackend: the backend ends in the same state as in the clean run.
	OracleBackend = "backend"
	// OracleCounts: creates, deletes, grants and revokes have the same subjects as in
	// the clean run, and none repeats endlessly.
	OracleCounts = "counts"
	// OracleInnocent: nothing changes that an interference does not concern.
	OracleInnocent = "innocent"
	// OracleDeletable: after an interference, everything can be deleted by ordinary means.
	OracleDeletable = "deletable"
	// OracleWakeUp: after an interference, a restart of the components changes nothing that they have
	// left at rest.
	OracleWakeUp = "wake-up"
)

// Compared reports whether only an exploration judges an oracle: the oracle compares with the clean run, or judges
// what only a sandbox has.
func Compared(name string) bool {
	return slices.Contains([]string{OracleState, OracleBackend, OracleCounts, OracleInnocent, OracleWakeUp}, name)
}

// Judge returns the findings of a run: of the standing oracles, of the scenario's expectations, and
// of the comparison with the clean run. It leaves out the clean run's baseline.
func Judge(o, clean *Record) []checks.Finding {
	found := oracle.Judge(o.Input)
	switch {
	case o.TornDown:
		found = slices.Concat(found, o.Found, undeleted(o.End))
	case clean.Baseline == nil || clean.Result.Outcome == outcome.Passed:
		found = append(found, comparedWith(clean, o)...)
	default: // the clean run ended in the middle, and others may end elsewhere
	}
	found = slices.DeleteFunc(found, func(f checks.Finding) bool { return allowed(o.Result.Scenario, f) })
	for i := range found {
		found[i].Message = o.Names.In(found[i].Message)
		found[i].Subject = o.Names.In(found[i].Subject)
	}
	return silenceLast(slices.DeleteFunc(found, clean.Baseline.Has))
}

// silenceLast moves the findings of the oracle silence behind failed steps: a component that cannot
// do its work keeps trying.
func silenceLast(found []checks.Finding) []checks.Finding {
	isSilence := func(f checks.Finding) bool { return f.Oracle == vocabulary.Silence }
	if !slices.ContainsFunc(found, func(f checks.Finding) bool { return f.Oracle == OracleSteps }) {
		return found
	}
	others := slices.DeleteFunc(slices.Clone(found), isSilence)
	return append(others, slices.DeleteFunc(found, func(f checks.Finding) bool { return !isSilence(f) })...)
}

func comparedWith(clean, o *Record) []checks.Finding {
	found := stepsOf(o.Result)
	for _, d := range o.State.Differences(clean.State) {
		found = append(found, checks.Finding{Oracle: oracleOf(d.Name), Subject: d.Name, Message: d.Name + ": " + d.Detail})
	}
	for _, d := range o.Counts.excesses(clean.Counts, max(1, len(o.Faults))*o.slowness(clean), o.Timeouts) {
		found = append(found, checks.Finding{Oracle: OracleCounts, Subject: d.Name, Message: d.Name + ": " + d.Detail})
	}
	return found
}

func allowed(s *spec.Scenario, f checks.Finding) bool {
	return slices.ContainsFunc(s.Allow, func(a spec.Exception) bool {
		return a.Oracle == f.Oracle && (strings.Contains(f.Message, a.About) || strings.Contains(f.Subject, a.About))
	})
}

func oracleOf(name string) string {
	if strings.HasPrefix(name, "backend ") {
		return OracleBackend
	}
	return OracleState
}

func stepsOf(r outcome.Result) []checks.Finding {
	var found []checks.Finding
	for _, failure := range r.Failures {
		message := failure.Message
		if failure.Step != nil {
			message = fmt.Sprintf("%s: %s: %s%s", failure.Position, failure.Step.Verb, message, differencesOf(failure))
		}
		found = append(found, checks.Finding{Oracle: OracleSteps, Subject: failure.Subject, Message: message})
	}
	return found
}

// shownDifferences limits the differences in the message of a finding.
const shownDifferences = 3

func differencesOf(f outcome.Failure) string {
	var all []string
	for i, d := range f.Differences {
		if i == shownDifferences {
			all = append(all, fmt.Sprintf("%d more differences", len(f.Differences)-i))
			break
		}
		all = append(all, d.String())
	}
	text := ""
	if len(all) > 0 {
		text = ": " + strings.Join(all, "; ")
	}
	if len(f.Notes) > 0 {
		text += " (meanwhile: " + strings.Join(f.Notes, "; ") + ")"
	}
	return text
}

// undeleted finds objects that still exist after ordinary deletion.
func undeleted(m observed.Observation) []checks.Finding {
	var found []checks.Finding
	add := func(kind string, o metav1.Object) {
		name := kind + "/" + o.GetName()
		found = append(found, checks.Finding{
			Oracle: OracleDeletable, Subject: name,
			Message: fmt.Sprintf("%s was deleted by ordinary means, but its finalizers %v are not released", name, o.GetFinalizers()),
		})
	}
	for i := range m.Objects.Accesses {
		add("BucketAccess", &m.Objects.Accesses[i])
	}
	for i := range m.Objects.Claims {
		add("BucketClaim", &m.Objects.Claims[i])
	}
	for i := range m.Objects.Buckets {
		add("Bucket", &m.Objects.Buckets[i])
	}
	return found
}
