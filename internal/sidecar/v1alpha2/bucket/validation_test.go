package bucket

import (
	"testing"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

func TestValidate(t *testing.T) {
	t.Parallel()
	ofOtherID := func(b *v1alpha2.Bucket) { b.Status.BucketID = "other" }
	withOwnID := func(b *v1alpha2.Bucket) { b.Status.BucketID = b.Spec.ExistingBucketID }
	runTable(t, []phaseCase{
		{Name: "new Bucket", Reason: "the driver serves its protocol", Given: func(s *scene) { s.hasBucket() }},
		{
			Name: "no protocols", Reason: "the driver decides",
			Given: func(s *scene) { s.hasBucket(func(b *v1alpha2.Bucket) { b.Spec.Protocols = nil }) },
		},
		{
			Name: "protocol that the driver does not serve", Reason: "each protocol of the spec is required, and the call would fail",
			Given: func(s *scene) { s.hasBucket(forAzure) },
			Want:  invalid(v1alpha2.ReasonProtocolNotSupported),
		},
		{
			Name: "existing bucket", Reason: "the policy Retain keeps it",
			Given: func(s *scene) { s.hasBucket(s.static) },
		},
		{
			Name: "existing bucket, policy Delete", Reason: "COSI must not delete a bucket that it did not create",
			Given: func(s *scene) { s.hasBucket(s.static, doomed) },
			Want:  invalid(v1alpha2.ReasonDeletionPolicyNotAllowed),
		},
		{
			Name: "existing bucket with its ID", Reason: "the two agree",
			Given: func(s *scene) { s.hasBucket(s.static, withOwnID) },
		},
		{
			Name: "existing bucket with another ID", Reason: "the ID is immutable, so the status was edited",
			Given: func(s *scene) { s.hasBucket(s.static, ofOtherID) },
			Want:  invalid(v1alpha2.ReasonDegraded),
		},
		{
			Name: "created bucket with its ID", Reason: "only existing buckets have an ID in the spec",
			Given: func(s *scene) { s.hasBucket(identified) },
		},
	}, (*attempt).validate)
}
