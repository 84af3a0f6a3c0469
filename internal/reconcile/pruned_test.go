package reconcile

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

func TestCheckKept(t *testing.T) {
	whole := func() *v1alpha2.BucketClaim {
		return &v1alpha2.BucketClaim{Status: v1alpha2.BucketClaimStatus{
			ReadyToUse: true, BoundBucketName: "b",
			Conditions: []metav1.Condition{{Type: "Provisioned", Status: "True", Reason: "Provisioned", LastTransitionTime: metav1.Now()}},
		}}
	}
	for name, tc := range map[string]struct {
		reason string
		answer func(*v1alpha2.BucketClaim)
		want   []string
	}{
		"Kept": {"all is there", func(*v1alpha2.BucketClaim) {}, nil},
		"Rounded": {"the API server has no nanoseconds", func(c *v1alpha2.BucketClaim) {
			c.Status.Conditions[0].LastTransitionTime = metav1.Unix(1, 0)
		}, nil},
		"More": {"another writer was there before", func(c *v1alpha2.BucketClaim) { c.Status.Protocols = []v1alpha2.Protocol{"S3"} }, nil},
		"Conditions": {
			"the definitions of earlier drafts lack them",
			func(c *v1alpha2.BucketClaim) { c.Status.Conditions = nil }, []string{"status.conditions"},
		},
		"Item": {
			"a definition may have conditions of another form",
			func(c *v1alpha2.BucketClaim) { c.Status.Conditions[0].Reason = "" }, []string{"status.conditions[].reason"},
		},
		"All": {"the definition has no status", func(c *v1alpha2.BucketClaim) { c.Status = v1alpha2.BucketClaimStatus{} }, []string{"status"}},
	} {
		t.Run(name, func(t *testing.T) {
			answer := whole()
			tc.answer(answer)
			err := checkKept("BucketClaim ns/c", whole(), answer)
			var got []string
			if pruned, ok := err.(*PrunedError); ok { //nolint:errorlint // it is not wrapped
				got = pruned.Fields
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
			if want := metav1.StatusReason("Pruned"); err != nil && apierrors.ReasonForError(err) != want {
				t.Errorf("the reason is %q, want %q", apierrors.ReasonForError(err), want)
			}
		})
	}
}
