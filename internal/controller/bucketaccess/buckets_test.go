package bucketaccess

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/condition"
	"github.com/cosi-emu/cosi-emu/test/phasetest"
)

// otherUID is the UID of a claim that does not exist.
const otherUID = "00000000-0000-0000-0000-000000000001"

func ofOther(b *v1alpha2.Bucket) { b.Spec.BucketClaimRef.UID = otherUID }

func ofOtherDriver(b *v1alpha2.Bucket) { b.Spec.DriverName = "other.test" }

func deletingBucket(b *v1alpha2.Bucket) { b.DeletionTimestamp = new(metav1.Now()) }

func withoutID(b *v1alpha2.Bucket) { b.Status.BucketID = "" }

func withoutProtocols(b *v1alpha2.Bucket) { b.Status.Protocols = nil }

func forAzure(b *v1alpha2.Bucket) { b.Status.Protocols = []v1alpha2.Protocol{v1alpha2.ProtocolAzure} }

// wantsGCS has a claim require what its Bucket lacks.
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
		{name: "ready", reason: "nothing is wrong", given: has(asIs, asIs)},
		{name: "not ready", reason: "the claims are protected while the access waits, so the phases go on", given: has(asIs, withoutID)},
		{
			name: "another driver's Bucket", reason: "its ID may mean something else to the driver of the class",
			given: has(asIs, ofOtherDriver), want: invalid(v1alpha2.ReasonDriverMismatch),
		},
		{
			name: "another driver's Bucket, not ready", reason: "waiting would not help",
			given: has(asIs, func(b *v1alpha2.Bucket) { ofOtherDriver(b); withoutID(b) }), want: invalid(v1alpha2.ReasonDriverMismatch),
		},
		{
			name: "deleting Bucket", reason: "it must not get new users",
			given: has(asIs, deletingBucket), want: invalid(v1alpha2.ReasonBucketDeleting),
		},
		{
			name: "protocol that the Bucket lacks", reason: "the application cannot use it",
			given: has(func(claim *v1alpha2.BucketClaim) { claim.Spec.Protocols = nil }, forAzure),
			want:  invalid(v1alpha2.ReasonProtocolNotSupported),
		},
		{
			name: "claim that lacks a protocol", reason: "an access is no more valid than its claim, whose status may be behind",
			given: has(wantsGCS, asIs), want: invalid(v1alpha2.ReasonProtocolNotSupported),
		},
		{
			name: "claim that is not valid", reason: "an access is no more valid than its claim",
			given: has(degraded, asIs), want: invalid(v1alpha2.ReasonDegraded),
		},
		{
			name: "cache fails", reason: "nothing is concluded about the Bucket",
			given: func(s *scene) { has(asIs, asIs)(s); s.FailReads(&v1alpha2.Bucket{}) }, want: phasetest.Retried("Unreadable"),
		},
		{
			name: "one not ready, one impossible", reason: "waiting for the first would not help",
			given: func(s *scene) {
				s.hasClass()
				s.hasBucket(s.hasClaim("photos"), withoutID)
				s.hasBucket(s.hasClaim("videos"), ofOtherDriver)
				s.hasAccess(alsoTo("videos"))
			},
			want: invalid(v1alpha2.ReasonDriverMismatch),
		},
	}, (*attempt).findClaims, (*attempt).findClass, (*attempt).findBuckets)
}

func TestAwaitBuckets(t *testing.T) {
	t.Parallel()
	notReady := waiting(v1alpha2.ReasonWaitingForBucket)
	runTable(t, []phaseCase{
		{name: "ready", reason: "nothing is waited for", given: has(asIs, asIs)},
		{
			name: "claim without a Bucket", reason: "the claim is not bound yet",
			given: func(s *scene) {
				s.hasClass()
				s.hasAccess()
				s.Make(&v1alpha2.BucketClaim{
					ObjectMeta: metav1.ObjectMeta{Name: "photos"}, Spec: v1alpha2.BucketClaimSpec{BucketClassName: "gold"},
				})
			},
			want: notReady,
		},
		{
			name: "Bucket that does not exist", reason: "the cache may have the claim first",
			given: func(s *scene) { s.hasClass(); s.hasAccess(); s.hasClaim("photos") },
			want:  notReady,
		},
		{name: "Bucket of another claim", reason: "it is not the one", given: has(asIs, ofOther), want: notReady},
		{name: "Bucket without an ID", reason: "the driver has not created it", given: has(asIs, withoutID), want: notReady},
		{name: "Bucket without protocols", reason: "the protocol cannot be checked", given: has(asIs, withoutProtocols), want: notReady},
	}, (*attempt).findClaims, (*attempt).findClass, (*attempt).findBuckets, (*attempt).awaitBuckets)
}
