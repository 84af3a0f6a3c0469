package denial_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/denial"
)

func TestOf(t *testing.T) {
	const user = `User "system:serviceaccount:cosi:theirs" cannot `
	tests := map[string]struct {
		reason string
		event  journal.Event
		want   string
	}{
		"Cluster": {
			reason: "The rule is of a ClusterRole.",
			event: journal.Event{Outcome: "Forbidden", Message: `bucketclasses.objectstorage.k8s.io "a" is forbidden: ` + user +
				`get resource "bucketclasses" in API group "objectstorage.k8s.io" at the cluster scope`},
			want: "controller may not get bucketclasses.objectstorage.k8s.io in the whole cluster, and will not work without: " +
				"give ServiceAccount cosi/theirs a ClusterRole with the rule " +
				`{apiGroups: ["objectstorage.k8s.io"], resources: ["bucketclasses"], verbs: ["get"]}`,
		},
		"Namespace": {
			reason: "A Role is sufficient.",
			event: journal.Event{Outcome: "Forbidden", Message: `events is forbidden: ` + user +
				`create resource "events" in API group "" in the namespace "default"`},
			want: `controller may not create events in namespace "default", and will not work without: ` +
				`give ServiceAccount cosi/theirs a Role with the rule {apiGroups: [""], resources: ["events"], verbs: ["create"]}`,
		},
		"Fault": {
			reason: "The scenario has asked for it.",
			event: journal.Event{Outcome: "Forbidden", Fault: "f", Message: `a is forbidden: ` + user +
				`get resource "a" in API group "" at the cluster scope`},
		},
		"Admission": {
			reason: "The component has the right, and the object is not allowed.",
			event: journal.Event{Outcome: "Forbidden",
				Message: `secrets "a" is forbidden: unable to create new content in namespace b because it is being terminated`},
		},
		"Conflict": {reason: "It is another error.", event: journal.Event{Outcome: "Conflict"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			tc.event.Seam, tc.event.Component = journal.SeamAPI, "controller"
			got := ""
			if denied, ok := denial.Of(tc.event); ok {
				got = denied.String()
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}
