package bucketclaim

import (
	"testing"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2" // for the reasons, which both versions share
	"github.com/cosi-emu/cosi-emu/test/phasetest"
)

// TestTolerated: input that v0.2 accepts is accepted with a Warning, and rejected by a strict
// controller.
// KEP: REASON-33
func TestTolerated(t *testing.T) {
	t.Parallel()
	protocols := func(written ...v1alpha1.Protocol) func(*v1alpha1.BucketClaim) {
		return func(claim *v1alpha1.BucketClaim) { claim.Spec.Protocols = written }
	}
	policy := func(written v1alpha1.DeletionPolicy) func(*v1alpha1.BucketClass) {
		return func(class *v1alpha1.BucketClass) { class.DeletionPolicy = written }
	}
	const warns = "Warning Tolerated of BucketClaim photos"
	cases := []struct {
		name, reason string
		given        func(*scene)
		rejected     string
		bucket       []string
		events       []string // after the Event of the binding
	}{
		{
			name: "class and existing Bucket", reason: "the existing Bucket wins",
			given: func(s *scene) {
				s.hasClaim(func(claim *v1alpha1.BucketClaim) { claim.Spec.ExistingBucketName = s.Name("brown") })
				s.hasBucket()
			},
			rejected: v1alpha2.ReasonInvalidSpec, events: []string{warns},
		},
		{
			name: "protocols in lower case", reason: "most published manifests have them",
			given:    func(s *scene) { s.hasClaim(protocols("s3", "Azure")); s.hasBucket() },
			rejected: v1alpha2.ReasonProtocolNotSupported, events: []string{warns},
		},
		{
			name: "protocol that does not exist", reason: "it is the driver's to reject",
			given:    func(s *scene) { s.hasClaim(protocols("swift")); s.hasBucket() },
			rejected: v1alpha2.ReasonProtocolNotSupported, events: []string{warns},
		},
		{
			name: "protocol that an existing Bucket lacks", reason: "v0.2 compares protocols with nothing",
			given:    func(s *scene) { s.hasClaim(s.ofExisting); s.hasBucket(free, forAzure) },
			rejected: v1alpha2.ReasonProtocolNotSupported, bucket: []string{bucketPatch}, events: []string{warns},
		},
		{
			name: "deletion policy in lower case", reason: "it is not Delete, so the bucket stays",
			given:    func(s *scene) { s.hasClass(policy("delete")); s.hasClaim() },
			rejected: v1alpha2.ReasonInvalidSpec, bucket: []string{"create buckets bucket-uid-photos"}, events: []string{warns},
		},
		{
			name: "protocol of an existing Bucket in lower case", reason: "it is the same",
			given:  func(s *scene) { s.hasClaim(s.ofExisting); s.hasBucket(free, lower) },
			bucket: []string{bucketPatch},
		},
	}
	var table []phaseCase
	for _, tc := range cases {
		accepted := phasetest.Outcome{Writes: append(tc.bucket, statusPatch), Events: append([]string{recordsBound}, tc.events...)}
		rejected := accepted
		if tc.rejected != "" {
			rejected = found("Invalid", tc.rejected)
		}
		strict := func(s *scene) { s.strict = true; tc.given(s) }
		table = append(table,
			phaseCase{Name: tc.name, Reason: tc.reason, Given: tc.given, Want: accepted},
			phaseCase{Name: tc.name + ", strict", Reason: "it is rejected unless it makes sense", Given: strict, Want: rejected})
	}
	runTableWithoutChanges(t, table, (*attempt).checkSpec, (*attempt).bind)
}

func lower(b *v1alpha1.Bucket) { b.Spec.Protocols = []v1alpha1.Protocol{"s3"} }
