package oracle_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/oracle"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
)

// TestWorkWithoutLease has a sidecar that reads, before it grants an access, that another holder has its Lease.
func TestWorkWithoutLease(t *testing.T) {
	lease := func(name, holder string) journal.Event {
		return api("sidecar", name, "cosi-system/cosi-sidecar-leader-one.test", "", `{"spec":{"holderIdentity":"`+holder+`"}}`)
	}
	lost, regained := lease("get leases", vocabulary.OtherHolder), lease("update leases", "sidecar")
	reported := api("sidecar", "create events", "cosi-system/sidecar.1", `{}`, `{}`)
	started := event("sidecar", journal.SeamProcess, journal.StepStart, "", "", "")
	finding := []summary{{vocabulary.Order, account}}
	tests := map[string]struct {
		reason string
		events []journal.Event
		later  time.Duration // how much later the grant is
		want   []summary
	}{
		"Continues": {reason: "It works without its Lease.", events: []journal.Event{lost}, later: time.Second, want: finding},
		"AtOnce":    {reason: "It could not know when it began.", events: []journal.Event{lost}},
		"Regained":  {reason: "It has the Lease again.", events: []journal.Event{lost, regained}, later: time.Second},
		"Restarted": {reason: "Another incarnation has not read the Lease yet.", events: []journal.Event{lost, started}, later: time.Second},
		"LostAgain": {
			reason: "Another incarnation does not wait.", events: []journal.Event{lost, started, lost}, later: time.Second, want: finding,
		},
		"NotWaiting": {
			reason: "Another incarnation works before it has the Lease.", events: []journal.Event{regained, started}, want: finding,
		},
		"Waited": {reason: "Another incarnation has got the Lease.", events: []journal.Event{regained, started, regained}},
		"Reports": {
			reason: "An Event is about what it did with its Lease.", events: []journal.Event{regained, started, reported, regained},
		},
		"Own": {reason: "It has its Lease.", events: []journal.Event{lease("get leases", "sidecar")}, later: time.Second},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			s := served()
			for _, e := range tc.events {
				s.before("grant", e)
			}
			at := s.index("grant")
			in := s.history()
			for i := at; i < len(in.Events); i++ {
				in.Events[i].Time = in.Events[i].Time.Add(tc.later)
			}
			if diff := cmp.Diff(tc.want, summaries(oracle.Judge(in))); diff != "" {
				t.Errorf("%s\nfindings (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}
