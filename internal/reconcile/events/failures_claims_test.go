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
	claim := &v1alpha1.BucketClaim{ObjectMeta: metav1.ObjectMeta{UID: "c", Generation: 3}}
	access := &v1alpha1.BucketAccess{ObjectMeta: metav1.ObjectMeta{UID: "a", Generation: 3}}
	waiting, blocked := reasons.Waiting("NotThere", "waiting"), reasons.Blocked("InUse", "in use")
	invalid, lost, failed := reasons.Invalid("Wrong", "wrong"), reasons.Lost("Gone", "gone"), reasons.Failed("DriverError", "100%% full")
	rejected := reasons.Rejected("DriverRefused", "no")
	const final = " map[" + v1alpha1.FinalGenerationAnnotation + ":3]"
	for _, tc := range []struct {
		name     string
		object   client.Object
		action   cosievents.Action
		outcomes []error
		want     []string
	}{
		{"success is not reported", claim, cosievents.Provision, []error{nil}, nil},
		{"waiting", claim, cosievents.Provision, []error{waiting}, []string{"Normal NotThere Provision waiting"}},
		{"blocked", claim, cosievents.Deprovision, []error{blocked}, []string{"Normal InUse Deprovision in use"}},
		{"invalid claim", claim, cosievents.Provision, []error{invalid}, []string{"Warning FailedCreateBucket Provision Wrong: wrong" + final}},
		{"lost", claim, cosievents.Provision, []error{lost}, []string{"Warning FailedCreateBucket Provision Gone: gone" + final}},
		{"lost at the deletion", claim, cosievents.Deprovision, []error{lost},
			[]string{"Warning FailedDeleteBucket Deprovision Gone: gone" + final}},
		{"access that cannot be granted", access, cosievents.Provision, []error{failed},
			[]string{"Warning FailedGrantAccess Provision DriverError: 100% full"}},
		{"access that the driver rejects", access, cosievents.Provision, []error{rejected},
			[]string{"Warning FailedGrantAccess Provision DriverRefused: no" + final}},
		{"access that cannot be revoked", access, cosievents.Deprovision, []error{failed},
			[]string{"Warning FailedRevokeAccess Deprovision DriverError: 100% full"}},
		{"the same is reported once", claim, cosievents.Provision, []error{waiting, waiting}, []string{"Normal NotThere Provision waiting"}},
		{"a request ID is no news", access, cosievents.Provision,
			[]error{reasons.Failed("DriverError", "request 1 failed"), reasons.Failed("DriverError", "request 2 failed")},
			[]string{"Warning FailedGrantAccess Provision DriverError: request 1 failed"}},
		{"what changes is reported", claim, cosievents.Provision, []error{waiting, invalid, waiting},
			[]string{
				"Normal NotThere Provision waiting", "Warning FailedCreateBucket Provision Wrong: wrong" + final, "Normal NotThere Provision waiting",
			}},
		{"what comes back is reported", claim, cosievents.Provision, []error{waiting, nil, waiting},
			[]string{"Normal NotThere Provision waiting", "Normal NotThere Provision waiting"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			recorder := events.NewFakeRecorder(10)
			recorder.Verbose = true
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

// TestFailureOfNextGeneration: an Event is about one generation, so the same permanent error of the next one is news.
func TestFailureOfNextGeneration(t *testing.T) {
	for name, tc := range map[string]struct {
		err  error
		want int
	}{
		"Permanent": {reasons.Rejected("DriverRefused", "no"), 2},
		"Retried":   {reasons.Failed("DriverError", "no"), 1},
	} {
		t.Run(name, func(t *testing.T) {
			recorder := events.NewFakeRecorder(10)
			failures := cosievents.NewFailures(recorder)
			found, _ := reasons.As(tc.err)
			for _, generation := range []int64{1, 1, 2, 2} {
				access := &v1alpha1.BucketAccess{ObjectMeta: metav1.ObjectMeta{UID: "a", Generation: generation}}
				failures.Record(access, cosievents.Provision, found)
			}
			if got := len(recorder.Events); got != tc.want {
				t.Errorf("%d Events, want %d", got, tc.want)
			}
		})
	}
}
