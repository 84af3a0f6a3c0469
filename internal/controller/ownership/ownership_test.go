package ownership

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

func TestOwnership(t *testing.T) {
	type state struct{ SidecarOwns, NeedsClaims, Rejected bool }
	handed := func(a *v1alpha2.BucketAccess) { a.Status.DriverName = "d" }
	deleting := func(a *v1alpha2.BucketAccess) { a.DeletionTimestamp = new(metav1.Now()) }
	finished := func(a *v1alpha2.BucketAccess) {
		metav1.SetMetaDataAnnotation(&a.ObjectMeta, v1alpha2.SidecarCleanupFinishedAnnotation, "")
	}
	invalid := func(a *v1alpha2.BucketAccess) {
		a.Status.Conditions = []metav1.Condition{{Type: v1alpha2.ConditionResourcesValidated, Status: metav1.ConditionFalse}}
	}
	cases := []struct {
		name   string
		reason string
		access []func(*v1alpha2.BucketAccess)
		want   state
	}{
		{"new", "it will need its claims", nil, state{false, true, false}},
		{"rejected", "it is not handed off", []func(*v1alpha2.BucketAccess){invalid}, state{false, false, true}},
		{"handed off", "it may have credentials", []func(*v1alpha2.BucketAccess){handed}, state{true, true, false}},
		{
			"handed off and invalid", "the sidecar's result does not revoke", []func(*v1alpha2.BucketAccess){handed, invalid},
			state{true, true, false},
		},
		{"deleted early", "nothing was ever made for it", []func(*v1alpha2.BucketAccess){deleting}, state{false, false, false}},
		{"being revoked", "it still has credentials", []func(*v1alpha2.BucketAccess){handed, deleting}, state{true, true, false}},
		{
			"revoked", "the controller's turn again", []func(*v1alpha2.BucketAccess){handed, deleting, finished},
			state{false, false, false},
		},
		{
			"annotated by mistake", "the annotation counts in deletion only", []func(*v1alpha2.BucketAccess){handed, finished},
			state{true, true, false},
		},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			access := &v1alpha2.BucketAccess{}
			for _, f := range tc.access {
				f(access)
			}
			got := state{SidecarOwns(access), NeedsClaims(access), IsRejected(access)}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}
