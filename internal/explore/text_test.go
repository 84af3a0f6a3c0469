package explore

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/kind"
	"github.com/cosi-emu/cosi-emu/internal/explore/cause"
	"github.com/cosi-emu/cosi-emu/internal/explore/plan"
	"github.com/cosi-emu/cosi-emu/internal/explore/run"
	"github.com/cosi-emu/cosi-emu/internal/oracle/checks"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
)

func TestWriteText(t *testing.T) {
	create := plan.Trial{
		Kind: plan.LoseReply, Effect: fault.Effect{LoseReply: "Unavailable"},
		Point: run.Point{Component: "sidecar", Seam: journal.SeamRPC, Operation: "DriverCreateBucket", Subject: "bc-*", Nth: 1},
	}
	r := &Report{
		Scenario: "lifecycle", Points: 113, Applicable: 488, Tried: 488, Runs: 499, Sandboxes: 3,
		Clean: 400 * time.Millisecond, Duration: 100 * time.Second,
		Findings: []cause.Group{{
			Oracle: run.OracleSteps, Message: "lifecycle.yaml:17:3: expect: BucketClaim/photos: condition not met after 5s",
			Explanation: cause.Explanation{
				Why: "driver answered the 2nd DriverCreateBucket b with AlreadyExists: it exists",
				Seen: []string{
					"+0.048s sidecar rpc DriverCreateBucket b -> Unavailable [fault: lose-reply-1]",
					"+0.069s sidecar rpc DriverCreateBucket b -> AlreadyExists: it exists",
				},
			},
			Case:   plan.Case{create},
			Others: []checks.Finding{{Oracle: run.OracleState, Message: "Bucket b: exists, but must not"}},
			Cases:  []string{create.String(), "fail at sidecar rpc DriverCreateBucket bc-*"}, Confirmed: true,
			ConfirmedOn: []kind.Kind{kind.Embedded}, Doubt: "3 runs there do not have it",
			File: "a.yaml", Recording: "a.cosirec", Timeline: "a.html", Verified: true,
		}, {
			Oracle: vocabulary.Leak, Message: "the backend has bucket b", Rule: "FLOW-DELETE-0.1", Cases: []string{"no fault"}, Runs: 3,
		}, {
			Oracle: run.OracleDeletable, Message: "Bucket/b was deleted by ordinary means", Cases: []string{"no fault"},
		}},
	}
	const want = `lifecycle: 113 points, 488/488 effects tried
499 runs in 1m40s in 3 sandboxes: 5.0 runs/s; steps of the clean run: 400ms

1. steps: lifecycle.yaml:17:3: expect: BucketClaim/photos: condition not met after 5s
   why:   driver answered the 2nd DriverCreateBucket b with AlreadyExists: it exists
   fault: lose-reply at sidecar rpc DriverCreateBucket bc-*: operation succeeded, response lost
   seen:  +0.048s sidecar rpc DriverCreateBucket b -> Unavailable [fault: lose-reply-1]
          +0.069s sidecar rpc DriverCreateBucket b -> AlreadyExists: it exists
   also:  state: Bucket b: exists, but must not
   cases: 2, of them lose-reply at sidecar rpc DriverCreateBucket bc-*
                     fail at sidecar rpc DriverCreateBucket bc-*
   confirmed on embedded, not on envtest: 3 runs there do not have it
   scenario:  a.yaml
   recording: a.cosirec
   timeline:  a.html

2. leak: the backend has bucket b
   rule:  KEP-1979, Deleting a Bucket (FLOW-DELETE-0.1): Delete: Bucket and backend bucket are deleted with the claim
   fault: none: the run without faults shows it
   seen once in 3 runs, not shrunk

3. deletable: Bucket/b was deleted by ordinary means
   fault: none: the run without faults shows it
   not run again, not shrunk
`
	var text strings.Builder
	if err := r.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, text.String()); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

// TestWriteUntried verifies that the report begins with the untried cases and how to continue.
func TestWriteUntried(t *testing.T) {
	for _, test := range []struct {
		name   string
		report Report
		want   string
	}{
		{
			"budget", Report{Scenario: "one", Budget: time.Minute, Untried: []Untried{{phaseSingle, 300, 488}, {phasePairs, 10, 10}}},
			`one: not tried: 300 of 488 single faults, because its budget is 1m0s
one: not tried: 10 of 10 pairs known so far, because its budget is 1m0s
to try the rest, run it without --budget; with --state, each run continues the one before
one: 0 points, 0/0 effects tried
0 runs in 0s in 0 sandboxes: 0.0 runs/s; steps of the clean run: 0s
no findings in the tried cases
`,
		},
		{
			"interrupted", Report{Scenario: "one", State: "one.state", Untried: []Untried{{phasePairs, 1, 2}}},
			`one: not tried: 1 of 2 pairs, because it was interrupted
to try the rest, run the same command again: it continues from one.state
one: 0 points, 0/0 effects tried
0 runs in 0s in 0 sandboxes: 0.0 runs/s; steps of the clean run: 0s
no findings in the tried cases
`,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			var text strings.Builder
			if err := test.report.WriteText(&text); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, text.String()); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
		})
	}
}

func TestWriteFindings(t *testing.T) {
	files := cause.Group{
		Oracle: vocabulary.Leak, Confirmed: true, Runs: 2, File: "a.yaml", Recording: "a.cosirec", Timeline: "a.html", Rerun: "passed",
	}
	verified := files
	verified.Verified = true
	compared := files
	compared.Oracle = run.OracleWakeUp
	for _, test := range []struct {
		name        string
		g           cause.Group
		want, never []string
	}{
		{"verified", verified, []string{"a.yaml", "a.cosirec", "a.html"}, []string{"seen once", "run alone"}},
		{"not verified", files, []string{"a.yaml", "run alone, the scenario passed; expected: failed by leak"}, []string{"seen once"}},
		{
			"only exploration judges it", compared,
			[]string{"a.yaml", "run alone, the scenario passed; only an exploration judges wake-up"}, []string{"expected: failed"},
		},
		{"not confirmed", cause.Group{Oracle: vocabulary.Leak, Runs: 3}, []string{"seen once in 3 runs"}, []string{"scenario:", "run alone"}},
		{"starved", cause.Group{Oracle: vocabulary.Leak, Runs: 3, Starved: true}, []string{"it does not fail"}, []string{"not shrunk"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var text strings.Builder
			if err := (&Report{Findings: []cause.Group{test.g}}).WriteText(&text); err != nil {
				t.Fatal(err)
			}
			for _, part := range test.want {
				if !strings.Contains(text.String(), part) {
					t.Errorf("missing %q:\n%s", part, &text)
				}
			}
			for _, part := range test.never {
				if strings.Contains(text.String(), part) {
					t.Errorf("unexpected %q:\n%s", part, &text)
				}
			}
		})
	}
}

// TestReasons: several explorations have the reasons of all, and have left out those that none has reached.
func TestReasons(t *testing.T) {
	first := &Report{Scenario: "a", Reasons: []string{"Bound", "Pending"}, OtherReasons: []string{"APIError", "Degraded"}}
	second := &Report{Scenario: "b", Reasons: []string{"APIError", "Bound"}, OtherReasons: []string{"Degraded", "Pending"}}
	ofOther := &Report{Scenario: "c", Reasons: []string{"Own"}}
	for name, tc := range map[string]struct {
		reports []*Report
		want    string
	}{
		"One": {
			[]*Report{first},
			"2 reasons of conditions and Events: Bound, Pending\nnot reached: 2 reasons, for other scenarios: APIError, Degraded\n",
		},
		"Two": {
			[]*Report{first, second},
			"3 reasons of conditions and Events: APIError, Bound, Pending\nnot reached: 1 reason, for other scenarios: Degraded\n",
		},
		"OtherComponents": {[]*Report{ofOther}, "1 reason of conditions and Events: Own\n"},
		"BothVersions": {
			[]*Report{ofOther, first},
			"3 reasons of conditions and Events: Bound, Own, Pending\nnot reached: 2 reasons, for other scenarios: APIError, Degraded\n",
		},
		"Nothing": {[]*Report{{}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var text, whole strings.Builder
			if err := WriteReasons(&text, tc.reports...); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, text.String()); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
			if err := tc.reports[0].WriteText(&whole); err != nil || len(tc.reports) == 1 && !strings.Contains(whole.String(), tc.want) {
				t.Errorf("%v: the text of one report:\n%s", err, whole.String())
			}
			whole.Reset()
			if err := tc.reports[0].WriteOf(&whole); err != nil || strings.Contains(whole.String(), "reason") {
				t.Errorf("%v: the text of one of several:\n%s", err, whole.String())
			}
		})
	}
}
