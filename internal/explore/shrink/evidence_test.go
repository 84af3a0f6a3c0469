package shrink

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/internal/explore/cause"
	"github.com/cosi-emu/cosi-emu/internal/explore/run"
	"github.com/cosi-emu/cosi-emu/internal/report"
	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
)

func TestVerify(t *testing.T) {
	leak := report.Failure{Oracle: vocabulary.Leak}
	step := report.Failure{Step: new(0)}
	broken := report.Failure{Step: new(0), Broken: true}
	for _, test := range []struct {
		name, reason, oracle string
		outcome              outcome.Outcome
		failures             []report.Failure
		verified             bool
		rerun                string
	}{
		{"the same", "the oracle of the group failed", vocabulary.Leak, outcome.Failed, []report.Failure{leak}, true, "failed by leak"},
		{"among others", "one of several oracles", vocabulary.Leak, outcome.Failed, []report.Failure{step, leak}, true, "failed by steps, leak"},
		{"a step", "a failed step counts as the oracle steps", run.OracleSteps, outcome.Failed, []report.Failure{step}, true, "failed by steps"},
		{"another", "another oracle failed", vocabulary.Order, outcome.Failed, []report.Failure{leak}, false, "failed by leak"},
		{"broken", "a broken scenario proves nothing", run.OracleSteps, outcome.Broken, []report.Failure{broken}, false, "broken"},
		{"none", "only the comparison with the clean run shows it", run.OracleState, outcome.Passed, nil, false, "passed"},
	} {
		t.Run(test.name, func(t *testing.T) {
			g := cause.Group{Oracle: test.oracle}
			verify(&g, report.Report{Outcome: test.outcome, Scenarios: []report.Scenario{{Failures: test.failures}}})
			if g.Verified != test.verified || g.Rerun != test.rerun {
				t.Errorf("%t, %q, want %t, %q: %s", g.Verified, g.Rerun, test.verified, test.rerun, test.reason)
			}
		})
	}
}

// TestBackwards verifies that few of many candidates are tried, the first of them last.
func TestBackwards(t *testing.T) {
	for n, want := range map[int][]int{1: {0}, 2: {1, 0}, 3: {2, 1, 0}, 9: {8, 7, 5, 1, 0}, 20: {19, 18, 16, 12, 4, 0}} {
		if diff := cmp.Diff(want, backwards(n)); diff != "" {
			t.Errorf("of %d: -want, +got:\n%s", n, diff)
		}
	}
}
