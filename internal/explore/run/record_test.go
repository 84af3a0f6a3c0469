package run

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
)

// TestOpen verifies that events after the last step are not open to faults.
func TestOpen(t *testing.T) {
	last := event("controller", journal.SeamAPI, "patch bucketclaims", "explore/a", 2)
	first := event("controller", journal.SeamAPI, "get bucketclaims", "explore/a", 1)
	o := &Record{Events: []journal.Event{last, first, event("controller", journal.SeamAPI, "delete buckets", "b", 3)}}
	if diff := cmp.Diff(InOrder(o.Events), o.Open()); diff != "" {
		t.Errorf("a run that has not ended: -want, +got:\n%s", diff)
	}
	o.Ended = last.Time
	if diff := cmp.Diff([]journal.Event{first, last}, o.Open()); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

// TestInterferenceReached verifies that an interference without a change counts as not tried.
func TestInterferenceReached(t *testing.T) {
	f := fault.Status{Fault: fault.Fault{Name: "f", Effect: fault.Effect{Interfere: fault.Delete}}, Applied: 1}
	o := &Record{Faults: []fault.Status{f}, Events: []journal.Event{{Component: "controller", Fault: "f"}}}
	if o.Reached() {
		t.Error("reached without a request of the administrator")
	}
	o.Events = append(o.Events, journal.Event{Component: "administrator", Fault: "f", Outcome: journal.OutcomeOK})
	if !o.Reached() {
		t.Error("not reached")
	}
}
