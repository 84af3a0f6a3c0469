package bucketaccess

import (
	"context"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/condition"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/secretstore"
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
	revalidated := func(access *v1alpha2.BucketAccess) {
		condition.For(&access.Status.Conditions, 1).Set(v1alpha2.ConditionResourcesValidated, "True", v1alpha2.ReasonValidated, "m")
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
		{"volume of a Pod", "the condition InUse lists the Pod", is(), is(mounted), true},
		{"last volume gone", "the access can be revoked", is(mounted, leaving, unready), is(leaving, unready), true},
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
		{"claim not there", "a conflict with this write must not wait for the back-off", edits{}, edits{invalidated}, true},
		{"claim there again", "a conflict with this write must not wait for the back-off", edits{invalidated}, edits{revalidated}, true},
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

// TestBucketPredicate: the events of a Bucket that cause a reconcile of its accesses.
func TestBucketPredicate(t *testing.T) {
	t.Parallel()
	s := newScene(suite.New(t))
	usable := s.hasBucket("photos")
	edited := func(edits ...func(*v1alpha2.Bucket)) *v1alpha2.Bucket {
		b := usable.DeepCopy()
		for _, edit := range edits {
			edit(b)
		}
		return b
	}
	for _, tc := range []struct {
		name, reason  string
		before, after *v1alpha2.Bucket
		want          bool
	}{
		{"nothing", "it is a resync", edited(), edited(), false},
		{"usable", "the accesses wait for it", edited(withoutID), edited(), true},
		{"ID", "it is not provisioned yet", edited(withoutID), edited(unprovisioned), false},
		{"unusable", "the accesses are told", edited(), edited(unprovisioned), true},
		{"deleting", "the accesses are told", edited(), edited(leavingBucket), true},
		{"claim deleting", "the accesses are told", edited(), edited(forgotten), true},
	} {
		e := event.TypedUpdateEvent[*v1alpha2.Bucket]{ObjectOld: tc.before, ObjectNew: tc.after}
		if got := BucketPredicate().Update(e); got != tc.want {
			t.Errorf("%s: %s: selected %t, want %t", tc.name, tc.reason, got, tc.want)
		}
	}
	if !BucketPredicate().Create(event.TypedCreateEvent[*v1alpha2.Bucket]{Object: usable}) {
		t.Error("a new Bucket may be the one that an access has found lost")
	}
	if SecretPredicate().Create(event.TypedCreateEvent[*metav1.PartialObjectMetadata]{Object: secretstore.Metadata()}) {
		t.Error("a new Secret wakes the access, so that a driver that has just rejected it is asked again")
	}
	if !SecretPredicate().Delete(event.TypedDeleteEvent[*metav1.PartialObjectMetadata]{Object: secretstore.Metadata()}) {
		t.Error("a Secret that is gone has to be created again")
	}
}

func mapped[T client.Object](t *testing.T, s *scene, maps handler.TypedEventHandler[T, reconcile.Request], object T) []string {
	t.Helper()
	queue := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[reconcile.Request]())
	defer queue.ShutDown()
	maps.Create(context.WithoutCancel(s.Context()), event.TypedCreateEvent[T]{Object: object}, queue)
	var requests []reconcile.Request
	for queue.Len() > 0 {
		request, _ := queue.Get()
		requests = append(requests, request)
	}
	return namesOf(requests)
}

func namesOf(requests []reconcile.Request) []string {
	var names []string
	for _, request := range requests {
		names = append(names, request.Name)
	}
	slices.Sort(names)
	return names
}

// TestMap: the accesses that an event of another object reconciles.
func TestMap(t *testing.T) {
	t.Parallel()
	s := newScene(suite.New(t))
	d := phasetest.Connect(s.Case, driver.Connect, s.driver.DialOptions())
	photos, videos := s.hasBucket("photos"), s.hasBucket("videos")
	for name, edits := range map[string]edits{
		"granted": {granted}, "both": {s.alsoTo("videos"), identified}, "leaving": {granted, unready, leaving},
		"cleaned-up": {granted, unready, cleanedUp, leaving}, "others": {ofOtherDriver},
		"failed": {granted, func(access *v1alpha2.BucketAccess) {
			access.Status.Conditions[2].Status = metav1.ConditionTrue
		}},
	} {
		phasetest.Make(s.Case, s.newAccess(name), edits...)
	}
	secret := secretstore.Metadata()
	secret.Namespace, secret.Name = s.Namespace, "photos"
	elsewhere := secret.DeepCopy()
	elsewhere.Namespace = "elsewhere"
	cache := s.Client()
	ours := []string{"both", "failed", "granted", "leaving"}
	for _, tc := range []struct {
		name, reason string
		got, want    []string
	}{
		{"Bucket", "they may use it", mapped(t, s, MapBucket(cache, d), photos), ours},
		{"Bucket of one", "it may use it", mapped(t, s, MapBucket(cache, d), videos), []string{"both"}},
		{"Secret", "they name it", mapped(t, s, MapSecret(cache, d), secret), ours},
		{"Secret elsewhere", "the names are of the namespace", mapped(t, s, MapSecret(cache, d), elsewhere), nil},
		{
			"driver", "what is settled needs no call",
			namesOf(PendingRequests(s.Context(), cache, d)), []string{"both", "failed", "leaving"},
		},
	} {
		if diff := cmp.Diff(tc.want, tc.got); diff != "" {
			t.Errorf("%s: %s (-want +got):\n%s", tc.name, tc.reason, diff)
		}
	}
}
