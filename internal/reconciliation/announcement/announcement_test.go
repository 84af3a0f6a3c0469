package announcement

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/reconciliation/condition"
	"github.com/cosi-emu/cosi-emu/internal/reconciliation/finding"
)

func TestChanges(t *testing.T) {
	recorded := func(err error) []metav1.Condition {
		var conditions []metav1.Condition
		if found, ok := finding.As(err); ok {
			condition.Of(&conditions, 1).Record(found)
		}
		return conditions
	}
	cases := []struct {
		name          string
		reason        string
		before, after error
		want          []string
	}{
		{"invalid", "two conditions say it, and it is one event", nil, finding.Invalid("R", "m"), []string{"Warning R m"}},
		{"the same again", "it is no news", finding.Invalid("R", "m"), finding.Invalid("R", "m"), nil},
		{"another message", "it is news", finding.Invalid("R", "m"), finding.Invalid("R", "n"), []string{"Warning R n"}},
		{"failed", "the warning counts, not what else is unknown", nil, finding.Failed("R", "m"), []string{"Warning R m"}},
		{"missing", "the user has something to do", nil, finding.Waiting("R", "m"), []string{"Normal R m"}},
		{"usual wait", "it passes by itself", nil, finding.Waiting(v1alpha2.ReasonWaitingForBucket, "m"), nil},
		{
			"blocked", "the user wonders why it does not go", nil, finding.Blocked(v1alpha2.ReasonDeletionBlocked, "m"),
			[]string{"Normal DeletionBlocked m"},
		},
		{"new", "nothing is known yet", nil, nil, nil},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			recorder := events.NewFakeRecorder(10)
			Changes(recorder, &v1alpha2.Bucket{}, Provision, recorded(tc.before), recorded(tc.after))
			close(recorder.Events)
			var got []string
			for event := range recorder.Events {
				got = append(got, event)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}
