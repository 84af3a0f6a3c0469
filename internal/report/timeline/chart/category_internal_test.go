package chart

import (
	"testing"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
)

// TestCategoryOfLeases: the renewals of a Lease are hidden at first, as reads are.
func TestCategoryOfLeases(t *testing.T) {
	for name, tc := range map[string]struct {
		reason string
		event  journal.Event
		want   Category
	}{
		"Renewal":  {"It comes every few seconds.", journal.Event{Operation: journal.Operation{Name: "update leases"}}, kindRead},
		"Creation": {"It is the first election.", journal.Event{Operation: journal.Operation{Name: "create leases"}}, kindWrite},
		"Fault":    {"A reader looks for it.", journal.Event{Operation: journal.Operation{Name: "update leases"}, Fault: "f"}, kindWrite},
		"Other":    {"It changes an object.", journal.Event{Operation: journal.Operation{Name: "update buckets"}}, kindWrite},
	} {
		t.Run(name, func(t *testing.T) {
			tc.event.Seam, tc.event.Outcome = journal.SeamAPI, journal.OutcomeOK
			if got := CategoryOf(tc.event); got != tc.want {
				t.Errorf("%s\nCategoryOf() = %s, want %s", tc.reason, got, tc.want)
			}
		})
	}
}
