package explore

import (
	"testing"

	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/google/go-cmp/cmp"
)

// TestOpen verifies that events after the last step are not open to faults.
func TestOpen(t *testing.T) {
	last := event("controller", journal.SeamAPI, "patch bucketclaims", "explore/a", 2)
	first := event("controller", journal.SeamAPI, "get bucketclaims", "explore/a", 1)
	o := &runResult{events: []journal.Event{last, first, event("controller", journal.SeamAPI, "delete buckets", "b", 3)}}
	if diff := cmp.Diff(inOrder(o.events), o.open()); diff != "" {
		t.Errorf("a run that has not ended: -want, +got:\n%s", diff)
	}
	o.ended = last.Time
	if diff := cmp.Diff([]journal.Event{first, last}, o.open()); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

// TestInterferenceReached verifies that an interference without a change counts as not tried.
func TestInterferenceReached(t *testing.T) {
	f := fault.Status{Fault: fault.Fault{Name: "f", Effect: fault.Effect{Interfere: fault.Delete}}, Applied: 1}
	o := &runResult{faults: []fault.Status{f}, events: []journal.Event{{Component: "controller", Fault: "f"}}}
	if o.reached() {
		t.Error("reached without a request of the administrator")
	}
	o.events = append(o.events, journal.Event{Component: "administrator", Fault: "f", Outcome: journal.OutcomeOK})
	if !o.reached() {
		t.Error("not reached")
	}
}
