package explore

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/internal/explore/cause"
	"github.com/cosi-emu/cosi-emu/internal/explore/plan"
	"github.com/cosi-emu/cosi-emu/internal/explore/shard"
)

// TestBudgetUsedUp verifies that the report counts the cases that were not started, without those of
// an earlier exploration.
func TestBudgetUsedUp(t *testing.T) {
	cases := []plan.Case{{{Kind: plan.Fail}}, {{Kind: plan.Delay}}, {{Kind: plan.Stale}}}
	e := &explorer{
		options: Options{Budget: time.Minute, Progress: func(Progress) {}},
		shared:  &sharedState{ends: deadline(time.Now().Add(-time.Second))},
	}
	var err error
	if e.done, err = shard.Open(t.Context(), "", nil, "", shard.Shard{}); err != nil {
		t.Fatal(err)
	}
	e.done.Add(t.Context(), cause.Result{Case: cases[0]})
	if err := e.runAll(t.Context(), phaseSingle, cases, false); err != nil {
		t.Fatal(err)
	}
	want := Report{Untried: []Untried{{Phase: phaseSingle, Cases: 2, Of: 3}}, Budget: time.Minute}
	if diff := cmp.Diff(want, e.report); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}
