package bucketaccess

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/condition"
	"github.com/cosi-emu/cosi-emu/test/phasetest"
)

func ofOther(b *v1alpha2.Bucket) { b.Spec.BucketClaimRef.UID = phasetest.OtherUID }

func ofOtherDriver(b *v1alpha2.Bucket) { b.Spec.DriverName = "other.test" }

func deletingBucket(b *v1alpha2.Bucket) { b.DeletionTimestamp = new(metav1.Now()) }

func withoutID(b *v1alpha2.Bucket) { b.Status.BucketID = "" }

func withoutProtocols(b *v1alpha2.Bucket) { b.Status.Protocols = nil }

func forAzure(b *v1alpha2.Bucket) { b.Status.Protocols = []v1alpha2.Protocol{v1alpha2.ProtocolAzure} }

// wantsGCS makes a claim require a protocol that its Bucket lacks.
func wantsGCS(claim *v1alpha2.BucketClaim) {
	claim.Spec.Protocols = []v1alpha2.Protocol{v1alpha2.ProtocolGCS}
}

func degraded(claim *v1alpha2.BucketClaim) {
	condition.For(&claim.Status.Conditions, 1).
		Set(v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse, v1alpha2.ReasonDegraded, "m")
}

// has makes an access with its class, its claim, and the Bucket of the claim.
func has(claimEdit func(*v1alpha2.BucketClaim), bucketEdit func(*v1alpha2.Bucket)) func(*scene) {
	return func(s *scene) {
		s.Helper()
		s.hasClass()
		s.hasAccess()
		s.hasBucket(s.hasClaim("photos", claimEdit), bucketEdit)
	}
}

func asIs[T any](T) {}

func TestFindBuckets(t *testing.T) {
	t.Parallel()
	runTable(t, []phaseCase{
		{Name: "ready", Reason: "nothing is wrong", Given: has(asIs, asIs)},
		{Name: "not ready", Reason: "the claims are protected while the access waits, so the phases go on", Given: has(asIs, withoutID)},
		{
			Name: "another driver's Bucket", Reason: "its ID may mean something else to the driver of the class",
			Given: has(asIs, ofOtherDriver), Want: invalid(v1alpha2.ReasonDriverMismatch),
		},
		{
			Name: "another driver's Bucket, not ready", Reason: "waiting would not help",
			Given: has(asIs, func(b *v1alpha2.Bucket) { ofOtherDriver(b); withoutID(b) }), Want: invalid(v1alpha2.ReasonDriverMismatch),
		},
		{
			Name: "deleting Bucket", Reason: "it must not get new users",
			Given: has(asIs, deletingBucket), Want: invalid(v1alpha2.ReasonBucketDeleting),
		},
		{
			Name: "protocol that the Bucket lacks", Reason: "the application cannot use it",
			Given: has(func(claim *v1alpha2.BucketClaim) { claim.Spec.Protocols = nil }, forAzure),
			Want:  invalid(v1alpha2.ReasonProtocolNotSupported),
		},
		{
			Name: "claim that lacks a protocol", Reason: "an access is no more valid than its claim, whose status may be behind",
			Given: has(wantsGCS, asIs), Want: invalid(v1alpha2.ReasonProtocolNotSupported),
		},
		{
			Name: "claim that is not valid", Reason: "an access is no more valid than its claim",
			Given: has(degraded, asIs), Want: invalid(v1alpha2.ReasonDegraded),
		},
		{
			Name: "cache fails", Reason: "nothing is concluded about the Bucket",
			Given: func(s *scene) { has(asIs, asIs)(s); s.FailReads(&v1alpha2.Bucket{}) }, Want: phasetest.Retried("Unreadable"),
		},
		{
			Name: "one not ready, one impossible", Reason: "waiting for the first would not help",
			Given: func(s *scene) {
				s.hasClass()
				s.hasBucket(s.hasClaim("photos"), withoutID)
				s.hasBucket(s.hasClaim("videos"), ofOtherDriver)
				s.hasAccess(alsoTo("videos"))
			},
			Want: invalid(v1alpha2.ReasonDriverMismatch),
		},
	}, (*attempt).findClaims, (*attempt).findClass, (*attempt).findBuckets)
}

func TestAwaitBuckets(t *testing.T) {
	t.Parallel()
	notReady := waiting(v1alpha2.ReasonWaitingForBucket)
	runTable(t, []phaseCase{
		{Name: "ready", Reason: "nothing is waited for", Given: has(asIs, asIs)},
		{
			Name: "claim without a Bucket", Reason: "the claim is not bound yet",
			Given: func(s *scene) {
				s.hasClass()
				s.hasAccess()
				s.Make(&v1alpha2.BucketClaim{
					ObjectMeta: metav1.ObjectMeta{Name: "photos"}, Spec: v1alpha2.BucketClaimSpec{BucketClassName: "gold"},
				})
			},
			Want: notReady,
		},
		{
			Name: "Bucket that does not exist", Reason: "the cache may have the claim first",
			Given: func(s *scene) { s.hasClass(); s.hasAccess(); s.hasClaim("photos") },
			Want:  notReady,
		},
		{Name: "Bucket of another claim", Reason: "it is not the one", Given: has(asIs, ofOther), Want: notReady},
		{Name: "Bucket without an ID", Reason: "the driver has not created it", Given: has(asIs, withoutID), Want: notReady},
		{Name: "Bucket without protocols", Reason: "the protocol cannot be checked", Given: has(asIs, withoutProtocols), Want: notReady},
	}, (*attempt).findClaims, (*attempt).findClass, (*attempt).findBuckets, (*attempt).awaitBuckets)
}
