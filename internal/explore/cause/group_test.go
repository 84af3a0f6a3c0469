package cause

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/internal/explore/plan"
	"github.com/cosi-emu/cosi-emu/internal/explore/run"
	"github.com/cosi-emu/cosi-emu/internal/oracle/checks"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
)

func TestGroup(t *testing.T) {
	result := func(kind plan.Kind, cause string, found ...checks.Finding) Result {
		return Result{Case: plan.Case{{Kind: kind}}, Explanation: Explanation{Cause: cause}, Findings: found}
	}
	leakOf := func(id string) checks.Finding {
		return checks.Finding{Oracle: vocabulary.Leak, Message: `the backend has "` + id + `"`}
	}
	writeOf := func(component string) checks.Finding {
		return checks.Finding{Oracle: vocabulary.Foreign, Message: component + ` has tried to patch Bucket "b"`}
	}
	step := checks.Finding{Oracle: run.OracleSteps, Message: "a.yaml:3:1: expect: BucketClaim/photos: condition not met after 5s"}
	slow := checks.Finding{
		Oracle: run.OracleSteps,
		Message: "a.yaml:9:1: expect: BucketClaim/photos: condition not met after 5s" +
			", which the starved machine stretched to 30.1s (meanwhile: x)",
	}
	tests := []struct {
		name, reason string
		found        []Result
		want         [][]string
	}{
		{
			"one cause", "One bug shows in several ways.",
			[]Result{result(plan.Fail, "c", step), result(plan.Delay, "c", leakOf("a"), step)},
			[][]string{{"delay at   ", "fail at   "}},
		},
		{
			"two causes", "The message is the same, the bug is not.",
			[]Result{result(plan.Fail, "c", step), result(plan.Delay, "d", step)},
			[][]string{{"fail at   "}, {"delay at   "}},
		},
		{
			"unknown cause", "It is that of the only other group with the message.",
			[]Result{result(plan.Fail, "", slow), result(plan.Delay, "d", step)},
			[][]string{{"delay at   ", "fail at   "}},
		},
		{
			"ambiguous cause", "The cause may be either.",
			[]Result{result(plan.Fail, "", slow), result(plan.Delay, "d", step), result(plan.Stale, "e", step)},
			[][]string{{"delay at   "}, {"stale at   "}, {"fail at   "}},
		},
		{
			"two drivers", "The sidecars of two drivers are one program, with one bug.",
			[]Result{result(plan.Fail, "", writeOf("sidecar.west.x")), result(plan.Delay, "", writeOf("sidecar.east.x"))},
			[][]string{{"fail at   ", "delay at   "}},
		},
		{
			"no cause", "Names, times and places do not count.",
			[]Result{
				result(plan.Fail, "", leakOf("a")), result(plan.Delay, "", leakOf("b")),
				result(plan.Stale, "", step), result(plan.Conflict, "", slow),
			},
			[][]string{{"fail at   ", "delay at   "}, {"stale at   ", "conflict at   "}},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var got [][]string
			for _, g := range Groups(test.found) {
				got = append(got, g.Cases)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("%s -want, +got:\n%s", test.reason, diff)
			}
		})
	}
}

// TestGroupOthers verifies that a group lists the other findings of its runs, each once.
func TestGroupOthers(t *testing.T) {
	leak, state := checks.Finding{Oracle: vocabulary.Leak, Message: `has "a"`}, checks.Finding{Oracle: run.OracleState, Message: "differs"}
	other := checks.Finding{Oracle: vocabulary.Leak, Message: `has "b"`}
	groups := Groups([]Result{
		{Findings: []checks.Finding{leak, state}, Explanation: Explanation{Cause: "c"}},
		{Findings: []checks.Finding{state, other}, Explanation: Explanation{Cause: "c"}},
	})
	if len(groups) != 1 || groups[0].Oracle != vocabulary.Leak {
		t.Fatalf("%+v, want one group of the oracle leak", groups)
	}
	if diff := cmp.Diff([]checks.Finding{state}, groups[0].Others); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

// TestMarkStarved excuses a group only if the machine explains each of its runs, and no other run confirms it.
func TestMarkStarved(t *testing.T) {
	t.Parallel()
	starved, calm := Result{Starved: true}, Result{}
	for name, tc := range map[string]struct {
		group Group
		want  bool
	}{
		"All runs":            {Group{Runs: 3, Results: []Result{starved, starved}}, true},
		"Not all runs":        {Group{Runs: 3, Results: []Result{starved, calm}}, false},
		"It occurred again":   {Group{Runs: 2, Confirmed: true, Results: []Result{starved}}, false},
		"It was not repeated": {Group{Results: []Result{starved}}, false},
	} {
		tc.group.MarkStarved()
		if tc.group.Starved != tc.want {
			t.Errorf("%s: Starved is %t", name, tc.group.Starved)
		}
	}
}
