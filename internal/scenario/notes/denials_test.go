package notes_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/scenario/notes"
)

func TestDenials(t *testing.T) {
	forbidden := journal.Event{
		Seam: journal.SeamAPI, Component: "sidecar", Outcome: "Forbidden",
		Message: `secrets is forbidden: User "system:serviceaccount:theirs:poor" cannot list resource "secrets" in API group "" ` +
			`at the cluster scope`,
	}
	conflict := journal.Event{Seam: journal.SeamAPI, Component: "sidecar", Outcome: "Conflict"}
	want := []string{"sidecar may not list secrets in the whole cluster, and will not work without: " +
		`give ServiceAccount theirs/poor a ClusterRole with the rule {apiGroups: [""], resources: ["secrets"], verbs: ["list"]}`}
	if diff := cmp.Diff(want, notes.Denials([]journal.Event{forbidden, conflict, forbidden})); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}
