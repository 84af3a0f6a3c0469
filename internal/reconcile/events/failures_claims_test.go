package events_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	cosievents "github.com/cosi-emu/cosi-emu/internal/reconcile/events"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/reasons"
)

func TestFailuresAreReportedOnce(t *testing.T) {
	claim := &v1alpha1.BucketClaim{ObjectMeta: metav1.ObjectMeta{UID: "c"}}
	access := &v1alpha1.BucketAccess{ObjectMeta: metav1.ObjectMeta{UID: "a"}}
	waiting, blocked := reasons.Waiting("NotThere", "waiting"), reasons.Blocked("InUse", "in use")
	invalid, lost, failed := reasons.Invalid("Wrong", "wrong"), reasons.Lost("Gone", "gone"), reasons.Failed("DriverError", "100%% full")
	for _, tc := range []struct {
		name     string
		object   client.Object
		action   cosievents.Action
		outcomes []error
		want     []string
	}{
		{"success is not reported", claim, cosievents.Provision, []error{nil}, nil},
		{"waiting", claim, cosievents.Provision, []error{waiting}, []string{"Normal NotThere waiting"}},
		{"blocked", claim, cosievents.Deprovision, []error{blocked}, []string{"Normal InUse in use"}},
		{"invalid claim", claim, cosievents.Provision, []error{invalid}, []string{"Warning FailedCreateBucket Wrong: wrong"}},
		{"lost", claim, cosievents.Provision, []error{lost}, []string{"Warning FailedCreateBucket Gone: gone"}},
		{"lost at the deletion", claim, cosievents.Deprovision, []error{lost}, []string{"Warning FailedDeleteBucket Gone: gone"}},
		{"access that cannot be granted", access, cosievents.Provision, []error{failed},
			[]string{"Warning FailedGrantAccess DriverError: 100% full"}},
		{"access that cannot be revoked", access, cosievents.Deprovision, []error{failed},
			[]string{"Warning FailedRevokeAccess DriverError: 100% full"}},
		{"the same is reported once", claim, cosievents.Provision, []error{waiting, waiting}, []string{"Normal NotThere waiting"}},
		{"a request ID is no news", access, cosievents.Provision,
			[]error{reasons.Failed("DriverError", "request 1 failed"), reasons.Failed("DriverError", "request 2 failed")},
			[]string{"Warning FailedGrantAccess DriverError: request 1 failed"}},
		{"what changes is reported", claim, cosievents.Provision, []error{waiting, invalid, waiting},
			[]string{"Normal NotThere waiting", "Warning FailedCreateBucket Wrong: wrong", "Normal NotThere waiting"}},
		{"what comes back is reported", claim, cosievents.Provision, []error{waiting, nil, waiting},
			[]string{"Normal NotThere waiting", "Normal NotThere waiting"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			recorder := events.NewFakeRecorder(10)
			failures := cosievents.NewFailures(recorder)
			for _, err := range tc.outcomes {
				found, _ := reasons.As(err)
				failures.Record(tc.object, tc.action, found)
			}
			close(recorder.Events)
			var got []string
			for event := range recorder.Events {
				got = append(got, event)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("Events (-want +got):\n%s", diff)
			}
		})
	}
}
