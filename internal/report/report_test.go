package report_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/report"
	"github.com/cosi-emu/cosi-emu/internal/scenario/match"
	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec/document"
)

var begin = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

func at(milliseconds int) time.Time { return begin.Add(time.Duration(milliseconds) * time.Millisecond) }

func position(line int) document.Position {
	return document.Position{File: "dir/story.yaml", Line: line, Column: 3}
}

// story is the result of a scenario with two steps, the second of which has an inner one. The last
// step has failed.
func story() (outcome.Result, []journal.Event) {
	s := &spec.Scenario{
		Name: "story", Labels: map[string]string{"area": "a<b"}, Position: document.Position{File: "dir/story.yaml", Line: 1, Column: 1},
		Steps: []spec.Step{
			{Verb: "apply", Position: position(5)},
			{Verb: "repeat", Position: position(9), Repeat: &spec.Repeat{Steps: []spec.Step{
				{Verb: "expect", Name: "it is ready", Position: position(11)},
			}}},
		},
	}
	inner := &s.Steps[1].Repeat.Steps[0]
	event := func(seq uint64, begin int, operation string) journal.Event {
		return journal.Event{
			Seq: seq, Time: at(begin), Component: "sidecar", Seam: journal.SeamRPC,
			Operation: journal.Operation{Name: operation}, Outcome: "OK", Duration: time.Millisecond,
		}
	}
	return outcome.Result{
			Scenario: s, Outcome: outcome.Failed, Namespace: "story-1", Started: at(0), Duration: 900 * time.Millisecond,
			Steps: []outcome.StepResult{ // in the order in which they ended
				{Step: &s.Steps[0], Started: at(10), Duration: 10 * time.Millisecond, Passed: true},
				{Step: inner, Started: at(30), Duration: 20 * time.Millisecond, Passed: true},
				{Step: inner, Started: at(60), Duration: 100 * time.Millisecond},
				{Step: &s.Steps[1], Started: at(29), Duration: 131 * time.Millisecond},
			},
			Failures: []outcome.Failure{{
				Step: inner, Position: position(11), Message: "BucketClaim/a: condition not met\x00", Subject: "BucketClaim/a",
				Differences: []match.Difference{{Path: "status.readyToUse", Want: "true", Got: "false", Position: position(12)}},
				Expected:    "status:\n  readyToUse: true\n  boundBucketName: present",
				Got:         "status:\n  boundBucketName: bc-1\n  extra: x\n  readyToUse: false",
			}},
		}, []journal.Event{
			event(1, 20, "First"), event(3, 70, "Later"), event(2, 65, "Sooner"), event(4, 500, "CleaningUp"),
		}
}

func TestOf(t *testing.T) {
	got := report.NewScenario(story())
	var steps []string
	for _, s := range got.Steps {
		steps = append(steps, strings.Repeat(">", s.Depth)+s.Verb+" "+string(s.Outcome)+" "+s.Position.String())
	}
	want := []string{
		"apply passed dir/story.yaml:5:3", "repeat failed dir/story.yaml:9:3",
		">expect passed dir/story.yaml:11:3", ">expect failed dir/story.yaml:11:3",
	}
	if diff := cmp.Diff(want, steps); diff != "" {
		t.Errorf("steps in the order in which they began: -want, +got:\n%s", diff)
	}
	if step := got.Failures[0].Step; step == nil || *step != 3 {
		t.Errorf("the failure is of step %v, want that which has failed, number 3", step)
	}
	wantDiff := `--- expected
+++ got
@@ -1,3 +1,3 @@
 status:
   boundBucketName: bc-1
-  readyToUse: true
+  readyToUse: false
`
	if diff := cmp.Diff(wantDiff, got.Failures[0].Diff); diff != "" {
		t.Errorf("the diff: -want, +got:\n%s", diff)
	}
}

func TestText(t *testing.T) {
	var out strings.Builder
	text := report.Text{Tail: 2, Rerun: func(s report.Scenario) string { return "run " + s.Name }}
	if err := text.Write(&out, []report.Scenario{report.NewScenario(story()), {Name: "other", Outcome: outcome.Passed}}); err != nil {
		t.Fatal(err)
	}
	want := `FAILED: story (dir/story.yaml:1:1)

  dir/story.yaml:11:3: step 4, expect: it is ready
    BucketClaim/a: condition not met` + "\x00" + `

      --- expected
      +++ got
      @@ -1,3 +1,3 @@
       status:
         boundBucketName: bc-1
      -  readyToUse: true
      +  readyToUse: false

  the journal, about its objects (events before these: 1):

    12:00:00.065 sidecar  rpc     Sooner -> OK 1ms
    12:00:00.070 sidecar  rpc     Later -> OK 1ms

  run just this again:

    run story

`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

func TestNew(t *testing.T) {
	for name, tc := range map[string]struct {
		reason   string
		outcomes []outcome.Outcome
		want     outcome.Outcome
		sum      string
	}{
		"Passed":  {"All is well.", []outcome.Outcome{outcome.Passed, outcome.Passed}, outcome.Passed, "2 passed in 2.00 s"},
		"Skipped": {"Nothing is wrong.", []outcome.Outcome{outcome.Skipped}, outcome.Passed, "1 skipped in 2.00 s"},
		"Broken":  {"Nothing is known.", []outcome.Outcome{outcome.Passed, outcome.Broken}, outcome.Broken, "1 passed, 1 broken in 2.00 s"},
		"Failed":  {"That is sure.", []outcome.Outcome{outcome.Broken, outcome.Failed}, outcome.Failed, "1 failed, 1 broken in 2.00 s"},
	} {
		t.Run(name, func(t *testing.T) {
			var scenarios []report.Scenario
			for _, outcome := range tc.outcomes {
				scenarios = append(scenarios, report.Scenario{Outcome: outcome})
			}
			got := report.New("v1", begin, 2*time.Second, scenarios)
			if rate := " (1.0 scenarios/s)"; got.Outcome != tc.want || strings.TrimSuffix(got.Sum(), rate) != tc.sum {
				t.Errorf("%s %s, %q, want %s, %q", tc.reason, got.Outcome, got.Sum(), tc.want, tc.sum)
			}
		})
	}
}

func TestJSON(t *testing.T) {
	want := report.New("v1", begin, time.Second, []report.Scenario{report.NewScenario(story())})
	var stored bytes.Buffer
	if err := want.WriteJSON(&stored); err != nil {
		t.Fatal(err)
	}
	var got report.Report
	err := json.Unmarshal(stored.Bytes(), &got)
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("the JSON is not the report: %v, -want, +got:\n%s", err, diff)
	}
}

func TestTable(t *testing.T) {
	fine := report.Scenario{
		Name: "fine", Outcome: outcome.Passed, Duration: time.Second, Position: report.Position{File: "fine.yaml", Line: 1},
	}
	r := report.New("v1", begin, time.Second, []report.Scenario{report.NewScenario(story()), fine})
	var out strings.Builder
	if err := r.WriteTable(&out); err != nil {
		t.Fatal(err)
	}
	want := `OUTCOME  TIME    STEPS  SCENARIO  WHERE
passed   1.00 s  0      fine      fine.yaml:1
failed   0.90 s  4      story     dir/story.yaml:11:3: BucketClaim/a: condition not met

1 passed, 1 failed in 1.00 s (2.0 scenarios/s)
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}
