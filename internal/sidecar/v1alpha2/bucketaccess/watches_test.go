package bucketaccess

import (
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/event"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/condition"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/v1alpha2/driver"
	"github.com/cosi-emu/cosi-emu/test/phasetest"
)

type edits = []func(*v1alpha2.BucketAccess)

func TestPredicate(t *testing.T) {
	t.Parallel()
	s := newScene(suite.New(t))
	selects := Predicate(phasetest.Connect(s.Case, driver.Connect, s.driver.DialOptions()))
	edited := func(edits edits) *v1alpha2.BucketAccess {
		access := s.newAccess("app")
		for _, edit := range edits {
			edit(access)
		}
		return access
	}
	is := func(more ...func(*v1alpha2.BucketAccess)) edits { return append(edits{granted}, more...) }
	notHandedOff := func(access *v1alpha2.BucketAccess) { access.Status = v1alpha2.BucketAccessStatus{} }
	invalidated := func(access *v1alpha2.BucketAccess) {
		condition.For(&access.Status.Conditions, 1).Set(v1alpha2.ConditionResourcesValidated, "False", v1alpha2.ReasonBucketClaimNotFound, "m")
	}
	for _, tc := range []struct {
		name, reason  string
		before, after edits
		want          bool
	}{
		{"nothing", "it is a resync", is(), is(), false},
		{"label", "it means nothing", is(), is(func(a *v1alpha2.BucketAccess) { a.Labels = map[string]string{"team": "a"} }), false},
		{"own account", "the reconciler has written it", edits{}, edits{identified}, false},
		{"own success", "the reconciler has written it", edits{identified}, is(), false},
		{"hand-off", "the access has to be granted", edits{notHandedOff}, edits{}, true},
		{
			"other Buckets", "the status was edited", edits{},
			edits{func(a *v1alpha2.BucketAccess) { a.Status.AccessedBuckets[0].BucketID = "other" }}, true,
		},
		{
			"other parameters", "the status was edited", edits{},
			edits{func(a *v1alpha2.BucketAccess) { a.Status.Parameters = map[string]string{"a": "b"} }}, true,
		},
		{
			"other authentication", "the status was edited", edits{},
			edits{func(a *v1alpha2.BucketAccess) {
				a.Status.AuthenticationType = v1alpha2.AuthenticationTypeServiceAccount
			}}, true,
		},
		{"generation", "another generation was observed", is(), is(func(a *v1alpha2.BucketAccess) { a.Generation = 2 }), true},
		{"deletion", "the access has to be revoked", is(), is(leaving, unready), true},
		{"created again", "it is another access", is(), is(func(a *v1alpha2.BucketAccess) { a.UID = "other" }), true},
		{"finalizer removed", "the access could vanish", is(), is(withoutFinalizer), true},
		{"annotation of a finished cleanup", "a user has set it", is(), is(cleanedUp), true},
		{"own annotation of a finished cleanup", "the access is the controller's", is(leaving, unready), is(leaving, unready, cleanedUp), false},
		{"success taken back", "the status was edited", is(), edits{identified}, true},
		{"made unready by hand", "it is granted", is(), is(unready), true},
		{"claim gone", "the controller has found it; the access must not be ready for a claim that is gone", is(), is(invalidated), true},
		{"another driver's", "its sidecar reconciles it", edits{ofOtherDriver}, edits{ofOtherDriver, leaving}, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			e := event.TypedUpdateEvent[*v1alpha2.BucketAccess]{ObjectOld: edited(tc.before), ObjectNew: edited(tc.after)}
			if got := selects.Update(e); got != tc.want {
				t.Errorf("%s: selected %t, want %t", tc.reason, got, tc.want)
			}
		})
	}
	for _, tc := range []struct {
		name          string
		edits         edits
		isNew, isGone bool
	}{
		{"its own", is(), true, true},
		{"cleaned up, to forget it", is(leaving, unready, cleanedUp), false, true},
		{"not handed off", edits{notHandedOff}, false, false},
		{"another driver's", edits{ofOtherDriver}, false, false},
	} {
		access := edited(tc.edits)
		if got := selects.Create(event.TypedCreateEvent[*v1alpha2.BucketAccess]{Object: access}); got != tc.isNew {
			t.Errorf("a new access, %s: selected %t, want %t", tc.name, got, tc.isNew)
		}
		if got := selects.Delete(event.TypedDeleteEvent[*v1alpha2.BucketAccess]{Object: access}); got != tc.isGone {
			t.Errorf("an access that is gone, %s: selected %t, want %t", tc.name, got, tc.isGone)
		}
	}
}
