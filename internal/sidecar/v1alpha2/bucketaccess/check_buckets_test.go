package bucketaccess

import (
	"net/http"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/condition"
	"github.com/cosi-emu/cosi-emu/test/phasetest"
)

func unprovisioned(b *v1alpha2.Bucket) {
	condition.For(&b.Status.Conditions, 1).Reset(v1alpha2.ConditionProvisioned)
}

func withoutID(b *v1alpha2.Bucket) { unprovisioned(b); b.Status.BucketID = "" }

func leavingBucket(b *v1alpha2.Bucket) { b.DeletionTimestamp = new(metav1.Now()) }

func forgotten(b *v1alpha2.Bucket) {
	metav1.SetMetaDataAnnotation(&b.ObjectMeta, v1alpha2.BucketClaimBeingDeletedAnnotation, "")
}

func forAzure(b *v1alpha2.Bucket) { b.Status.Protocols = []v1alpha2.Protocol{v1alpha2.ProtocolAzure} }

func TestCheckBuckets(t *testing.T) {
	t.Parallel()
	ofOther := func(b *v1alpha2.Bucket) { b.Spec.DriverName = "other.test" }
	ofOtherID := func(b *v1alpha2.Bucket) { b.Status.BucketID = "other" }
	has := func(edits ...func(*v1alpha2.Bucket)) func(*scene) {
		return func(s *scene) { s.hasBucket("photos", edits...); s.hasAccess() }
	}
	runTable(t, []phaseCase{
		{Name: "provisioned", Reason: "it can be accessed", Given: has()},
		{
			Name: "two", Reason: "both can be accessed",
			Given: func(s *scene) { s.hasBucket("photos"); s.hasBucket("videos"); s.hasAccess(s.alsoTo("videos")) },
		},
		{
			Name: "not provisioned", Reason: "the watch of the Bucket causes the next reconcile",
			Given: has(unprovisioned), Want: waiting(v1alpha2.ReasonWaitingForBucket),
		},
		{
			Name: "no ID", Reason: "the status was edited, and it is provisioned again",
			Given: has(func(b *v1alpha2.Bucket) { b.Status.BucketID = "" }), Want: waiting(v1alpha2.ReasonWaitingForBucket),
		},
		{
			Name: "second not provisioned", Reason: "all of them are needed",
			Given: func(s *scene) {
				s.hasBucket("photos")
				s.hasBucket("videos", withoutID)
				s.hasAccess(s.alsoTo("videos"))
			},
			Want: waiting(v1alpha2.ReasonWaitingForBucket),
		},
		{
			Name: "first not provisioned, second lost", Reason: "waiting for the first would not help",
			Given: func(s *scene) { s.hasBucket("photos", withoutID); s.hasAccess(s.alsoTo("videos")) },
			Want:  invalid(v1alpha2.ReasonBucketLost),
		},
		{
			Name: "gone", Reason: "the access names it, and it never comes back",
			Given: func(s *scene) { s.hasAccess() }, Want: invalid(v1alpha2.ReasonBucketLost),
		},
		{
			Name: "not in the cache", Reason: "the cache of Buckets may be behind that of accesses",
			Given: func(s *scene) { s.hasAccess(); s.Behind(func() { s.hasBucket("photos") }) },
		},
		{
			Name: "another driver's", Reason: "its ID means another bucket to this driver",
			Given: has(ofOther), Want: invalid(v1alpha2.ReasonDriverMismatch),
		},
		{
			Name: "another driver's, not provisioned", Reason: "waiting would not help",
			Given: has(ofOther, withoutID), Want: invalid(v1alpha2.ReasonDriverMismatch),
		},
		{
			Name: "deleting claim", Reason: "the bucket must not get new users",
			Given: has(forgotten), Want: invalid(v1alpha2.ReasonBucketClaimDeleting),
		},
		{
			Name: "deleting", Reason: "the bucket must not get new users",
			Given: has(leavingBucket), Want: invalid(v1alpha2.ReasonBucketDeleting),
		},
		{
			Name: "another ID", Reason: "the Bucket was created again, and has another bucket",
			Given: has(ofOtherID), Want: invalid(v1alpha2.ReasonDegraded),
		},
		{
			Name: "protocol that it lacks", Reason: "the application could not use it",
			Given: has(forAzure), Want: invalid(v1alpha2.ReasonProtocolNotSupported),
		},
		{
			Name: "no protocols, not provisioned", Reason: "they are known later",
			Given: has(withoutID, func(b *v1alpha2.Bucket) { b.Status.Protocols = nil }), Want: waiting(v1alpha2.ReasonWaitingForBucket),
		},
		{
			Name: "granted, deleting", Reason: "what was granted stays, until the access is deleted",
			Given: func(s *scene) { s.hasBucket("photos", leavingBucket); s.hasAccess(granted) },
			Want: phasetest.Outcome{
				Writes: []string{statusPatch}, Conditions: []string{"ResourcesValidated=False BucketDeleting"},
				Events: []string{"Warning BucketDeleting of BucketAccess app"}, Err: "Invalid BucketDeleting",
			},
		},
		{
			Name: "cache fails", Reason: "nothing is concluded about the Bucket",
			Given: func(s *scene) { s.hasBucket("photos"); s.hasAccess(); s.FailReads(&v1alpha2.Bucket{}) },
			Want:  phasetest.Retried("Unreadable"),
		},
		{
			Name: "API server fails", Reason: "only it knows that a Bucket is lost",
			Given: func(s *scene) { s.hasAccess(); s.Reject("get buckets", http.StatusInternalServerError) },
			Want:  failed(),
		},
	}, (*attempt).checkBuckets)
}
