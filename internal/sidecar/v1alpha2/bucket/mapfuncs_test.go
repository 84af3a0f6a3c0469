package bucket

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/test/phasetest"
)

type edits = []func(*v1alpha2.Bucket)

func TestPredicate(t *testing.T) {
	t.Parallel()
	s := newScene(suite.New(t))
	s.only = []string{s.Namespace}
	selects := Predicate(s.served())
	edited := func(edits edits) *v1alpha2.Bucket {
		b := s.newBucket("b")
		for _, edit := range edits {
			edit(b)
		}
		return b
	}
	is := func(edits ...func(*v1alpha2.Bucket)) edits {
		return append([]func(*v1alpha2.Bucket){provisioned}, edits...)
	}
	failing := func(b *v1alpha2.Bucket) { statusOf(b).Conclude(failure()) }
	unlabeled := func(b *v1alpha2.Bucket) { b.Labels = nil }
	inFuture := func(b *v1alpha2.Bucket) { b.Status.Conditions[0].ObservedGeneration = 9 }
	for _, tc := range []struct {
		name, reason  string
		before, after edits
		want          bool
	}{
		{"nothing", "it is a resync", is(), is(), false},
		{"label", "it means nothing", is(), is(func(b *v1alpha2.Bucket) { b.Labels["team"] = "a" }), false},
		{"driver label removed", "it has to be restored", is(), is(unlabeled), true},
		{"driver label changed", "it has to be restored", is(), is(func(b *v1alpha2.Bucket) { b.Labels[v1alpha2.DriverLabel] = "other" }), true},
		{"own driver label", "the reconciler has written it", is(unlabeled), is(), false},
		{"own ID", "the reconciler has written it", edits{}, edits{identified}, false},
		{"own success", "the reconciler has written it", edits{identified}, is(), false},
		{"own failure", "the reconciler has written it", edits{identified}, edits{identified, failing}, false},
		{"generation", "the policy may have changed", is(), is(func(b *v1alpha2.Bucket) { b.Generation = 2 }), true},
		{"deletion", "the bucket has to be deleted", is(), is(deleting, unready), true},
		{"announcement", "the Bucket has to be withdrawn", is(unready), is(unready, announced), true},
		{"created again", "it is another Bucket", is(), is(func(b *v1alpha2.Bucket) { b.UID = "other" }), true},
		{"finalizer removed", "the Bucket could vanish", is(), is(withoutFinalizer), true},
		{"own finalizer", "the reconciler has written it", edits{withoutFinalizer}, edits{}, false},
		{"success taken back", "the status was edited", is(), edits{identified}, true},
		{"made ready by hand", "it is not provisioned", edits{}, edits{func(b *v1alpha2.Bucket) { b.Status.ReadyToUse = true }}, true},
		{"made unready by hand", "it is provisioned", is(), is(unready), true},
		{"generation from the future", "the status was edited", is(), is(inFuture), true},
		{"another driver's", "its sidecar reconciles it", edits{ofOtherDriver}, edits{ofOtherDriver, deleting}, false},
		{"another namespace's", "it is not served", edits{elsewhere}, edits{elsewhere, deleting}, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			e := event.TypedUpdateEvent[*v1alpha2.Bucket]{ObjectOld: edited(tc.before), ObjectNew: edited(tc.after)}
			if got := selects.Update(e); got != tc.want {
				t.Errorf("%s: selected %t, want %t", tc.reason, got, tc.want)
			}
		})
	}
	for _, tc := range []struct {
		name string
		edit func(*v1alpha2.Bucket)
		want bool
	}{
		{"its own", provisioned, true},
		{"another driver's", ofOtherDriver, false},
		{"another namespace's", elsewhere, false},
	} {
		b := edited(edits{tc.edit})
		if got := selects.Create(event.TypedCreateEvent[*v1alpha2.Bucket]{Object: b}); got != tc.want {
			t.Errorf("a new Bucket, %s: selected %t, want %t", tc.name, got, tc.want)
		}
		if got := selects.Delete(event.TypedDeleteEvent[*v1alpha2.Bucket]{Object: b}); got != tc.want {
			t.Errorf("a Bucket that is gone, %s: selected %t, want %t", tc.name, got, tc.want)
		}
	}
}

// TestPendingRequests: the Buckets that are reconciled when the driver reconnects.
func TestPendingRequests(t *testing.T) {
	t.Parallel()
	s := newScene(suite.New(t))
	s.only = []string{s.Namespace}
	for name, edits := range map[string]edits{
		"new": {}, "identified": {identified}, "leaving": {provisioned, unready, deleting},
		"provisioned": {provisioned}, "others": {ofOtherDriver}, "elsewhere": {elsewhere},
	} {
		phasetest.Make(s.Case, s.newBucket(name), edits...)
	}
	requests := PendingRequests(s.Context(), s.Client(), s.served())
	got := map[string]bool{}
	for _, name := range []string{"new", "identified", "leaving", "provisioned", "others", "elsewhere"} {
		for _, request := range requests { // among Buckets of other tests
			got[name] = got[name] || request == reconcile.Request{NamespacedName: client.ObjectKeyFromObject(s.newBucket(name))}
		}
	}
	want := map[string]bool{"new": true, "identified": true, "leaving": true, "provisioned": false, "others": false, "elsewhere": false}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the objects that are reconciled are not the unsettled ones (-want +got):\n%s", diff)
	}
}
