package seam_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/seam"
)

// withFault returns an incarnation to which one fault applies.
func withFault(t *testing.T, match fault.Match, effect fault.Effect) (*seam.Incarnation, *fault.Set, *journal.Journal) {
	t.Helper()
	i, j := newIncarnation(t)
	set := fault.NewSet()
	if err := set.Add(fault.Fault{Name: "f", Match: match, Effect: effect}); err != nil {
		t.Fatal(err)
	}
	i.Inject(set, seam.Hooks{})
	return i, set, j
}

// applied returns the events to which a fault was applied, as "operation subject outcome".
func applied(t *testing.T, j *journal.Journal) []string {
	t.Helper()
	var all []string
	for _, e := range j.Since(0) {
		if e.Fault == "f" && e.Seam != journal.SeamProcess {
			all = append(all, e.Operation.String()+" "+e.Outcome)
		}
	}
	return all
}

func expectApplied(t *testing.T, j *journal.Journal, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, applied(t, j)); diff != "" {
		t.Errorf("operations that a fault affected: -want, +got:\n%s", diff)
	}
}
