package events

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/events"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/condition"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/reasons"
)

func TestChanges(t *testing.T) {
	ready := errors.New("ready")
	recorded := func(err error) []metav1.Condition {
		var conditions []metav1.Condition
		if errors.Is(err, ready) {
			condition.For(&conditions, 1).Set(v1alpha2.ConditionProvisioned, metav1.ConditionTrue, v1alpha2.ReasonProvisioned, "m")
		}
		if found, ok := reasons.As(err); ok {
			condition.For(&conditions, 1).Record(found)
		}
		return conditions
	}
	bucket, claim, access := &v1alpha2.Bucket{}, &v1alpha2.BucketClaim{}, &v1alpha2.BucketAccess{}
	waiting := reasons.Waiting(v1alpha2.ReasonWaitingForBucket, "m")
	cases := []struct {
		name          string
		reason        string
		object        runtime.Object
		action        Action
		before, after error
		want          []string
	}{
		{
			"invalid", "two conditions say it, and it is one event",
			bucket, Provision, nil, reasons.Invalid("R", "m"), []string{"Warning FailedCreateBucket R: m"},
		},
		{"the same again", "it is no news", bucket, Provision, reasons.Invalid("R", "m"), reasons.Invalid("R", "m"), nil},
		{
			"another message", "it is news",
			bucket, Provision, reasons.Invalid("R", "m"), reasons.Invalid("R", "n"), []string{"Warning FailedCreateBucket R: n"},
		},
		// KEP: EVENT-BUCKET-1
		{
			"failed", "the warning counts, not what else is unknown",
			bucket, Provision, nil, reasons.Failed("R", "m"), []string{"Warning FailedCreateBucket R: m"},
		},
		// KEP: EVENT-BUCKET-2
		{
			"failed deletion", "the KEP has a name for it",
			bucket, Deprovision, nil, reasons.Failed("R", "m"), []string{"Warning FailedDeleteBucket R: m"},
		},
		{
			"failed claim", "the user of a claim does not see the Bucket",
			claim, Provision, nil, reasons.Failed("R", "m"), []string{"Warning FailedCreateBucket R: m"},
		},
		{
			"failed grant", "the KEP has a name for it",
			access, Provision, nil, reasons.Rejected("R", "m"), []string{"Warning FailedGrantAccess R: m"},
		},
		{
			"failed revocation", "the KEP has a name for it",
			access, Deprovision, nil, reasons.Failed("R", "m"), []string{"Warning FailedRevokeAccess R: m"},
		},
		{
			"degraded", "it was created, and something is wrong now",
			access, Provision, ready, errors.Join(ready, reasons.Invalid("R", "m")), []string{"Warning R m"},
		},
		{
			"degraded deletion", "it fails to be deleted",
			access, Deprovision, ready, errors.Join(ready, reasons.Invalid("R", "m")), []string{"Warning FailedRevokeAccess R: m"},
		},
		{"missing", "the user has something to do", bucket, Provision, nil, reasons.Waiting("R", "m"), []string{"Normal R m"}},
		{"usual wait of a claim", "it passes by itself", claim, Provision, nil, waiting, nil},
		{"wait of an access", "the KEP wants it reported", access, Provision, nil, waiting, []string{"Normal WaitingForBucket m"}},
		{
			"blocked", "the user wonders why it does not go",
			bucket, Deprovision, nil, reasons.Blocked(v1alpha2.ReasonDeletionBlocked, "m"), []string{"Normal DeletionBlocked m"},
		},
		{"new", "nothing is known yet", bucket, Provision, nil, nil, nil},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			recorder := events.NewFakeRecorder(10)
			Changes(recorder, tc.object, tc.action, recorded(tc.before), recorded(tc.after))
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
