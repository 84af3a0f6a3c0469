package explore

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/explore/cause"
	"github.com/cosi-emu/cosi-emu/internal/explore/run"
	"github.com/cosi-emu/cosi-emu/internal/oracle/checks"
	"github.com/cosi-emu/cosi-emu/internal/oracle/rule"
	"github.com/cosi-emu/cosi-emu/internal/report"
	"github.com/cosi-emu/cosi-emu/internal/report/timeline"
	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
)

// TestTimelines verifies that the page has every finding of all explorations, with its explanation
// and the events of its run.
func TestTimelines(t *testing.T) {
	events := []journal.Event{{
		Component: "sidecar", Seam: journal.SeamRPC, Outcome: "AlreadyExists",
		Operation: journal.Operation{Name: "DriverCreateBucket", Subject: "b"},
	}}
	shown := report.Scenario{Events: events, Failures: []report.Failure{{Message: "condition not met"}}}
	why := cause.Explanation{Why: "driver answered AlreadyExists"}
	one := &Report{Scenario: "one", Findings: []cause.Group{
		{Oracle: run.OracleSteps, Message: "not ready", Explanation: why, Confirmed: true, Shown: shown},
		{
			Oracle: vocabulary.Leak, Message: "the backend has b", Rule: rule.LeakBucket.In(false), Runs: 3,
			Others: []checks.Finding{{Oracle: vocabulary.Order, Message: "too early"}},
		},
	}}
	two := &Report{Scenario: "two", Findings: []cause.Group{{Oracle: vocabulary.Loss, Message: "it is gone", Confirmed: true}}}
	got := Timelines("v1", time.Now(), one, two)
	const none = "Fault: none: the run without faults shows it"
	want := []report.Scenario{
		{Name: "one, finding 1", Labels: map[string]string{"oracle": run.OracleSteps}, Failures: []report.Failure{
			{Message: "not ready", Oracle: run.OracleSteps, Notes: []string{"Why: driver answered AlreadyExists", none}},
			{Message: "condition not met"},
		}},
		{Name: "one, finding 2", Labels: map[string]string{"oracle": vocabulary.Leak}, Failures: []report.Failure{
			{
				Message: "the backend has b", Oracle: vocabulary.Leak,
				Notes: []string{"Rule: " + rule.Sentence("FLOW-DELETE-0.1"), none, "Also: order: too early", "Seen once in 3 runs, not shrunk"},
			},
		}},
		{Name: "two, finding 1", Labels: map[string]string{"oracle": vocabulary.Loss}, Failures: []report.Failure{
			{Message: "it is gone", Oracle: vocabulary.Loss, Notes: []string{none}},
		}},
	}
	if diff := cmp.Diff(want, got.Scenarios, cmpopts.IgnoreFields(report.Scenario{}, "Events", "Outcome")); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	if got.Outcome != outcome.Failed || got.Counts[outcome.Failed] != 3 {
		t.Errorf("outcome %s, %v; want 3 failed", got.Outcome, got.Counts)
	}
	var page strings.Builder
	if err := timeline.Write(&page, got); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"one, finding 1", why.Why, "DriverCreateBucket", "one, finding 2", "two, finding 1"} {
		if !strings.Contains(page.String(), part) {
			t.Errorf("the page lacks %q", part)
		}
	}
}
