package oracle_test

import (
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/oracle/observed"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
)

// TestOutdatedReason is about conditions with outdated reasons.
func TestOutdatedReason(t *testing.T) {
	invalid := func(reason string) []metav1.Condition {
		return []metav1.Condition{{Type: v1alpha2.ConditionResourcesValidated, Status: metav1.ConditionFalse, Reason: reason}}
	}
	on := func(change func(*observed.Objects)) func(*story) {
		return midway(func(_ *story, objects *observed.Objects, truth *observed.BackendState) {
			*truth = observed.BackendState{}
			change(objects)
		})
	}
	claim := func(reason string) func(*observed.Objects) {
		return func(o *observed.Objects) {
			o.Claims[0].Status.ReadyToUse, o.Claims[0].Status.Conditions = false, invalid(reason)
			o.Accesses, o.Secrets = nil, nil
		}
	}
	access := func(reason string, change func(*v1alpha2.BucketAccess)) func(*observed.Objects) {
		return func(o *observed.Objects) {
			a := &o.Accesses[0]
			a.Status = v1alpha2.BucketAccessStatus{Conditions: invalid(reason)}
			change(a)
		}
	}
	same := func(*v1alpha2.BucketAccess) {}
	untrueClaim := []summary{{vocabulary.Status, "BucketClaim/photos"}}
	untrueAccess := []summary{{vocabulary.Status, "BucketAccess/app"}}
	judge(t, map[string]judging{
		"BucketClass": {reason: "The class exists.", happen: on(claim(v1alpha2.ReasonBucketClassNotFound)), want: untrueClaim},
		"NoBucketClass": {
			reason: "The class does not exist.",
			happen: on(func(o *observed.Objects) { claim(v1alpha2.ReasonBucketClassNotFound)(o); o.BucketClasses = nil }),
		},
		"BucketDeleting": {reason: "Nothing deletes the Bucket.", happen: on(claim(v1alpha2.ReasonBucketDeleting)), want: untrueClaim},
		"Bucket": {
			reason: "The Bucket exists.",
			happen: on(func(o *observed.Objects) {
				claim(v1alpha2.ReasonBucketNotFound)(o)
				o.Claims[0].Spec.ExistingBucketName = bucket
			}),
			want: untrueClaim,
		},
		"ClaimBeforeItsBucket": {
			reason: "The Bucket has failed, and the claim is ready.",
			happen: func(s *story) {
				s.change("provision", refusedBy("Internal"))
				on(func(o *observed.Objects) {
					o.Buckets[0].Status.ReadyToUse, o.Buckets[0].Status.Conditions = false, retried
				})(s)
			},
			want: untrueClaim,
		},
		"BucketNotReady": {
			reason: "The Bucket is provisioned and has another failure, and is not ready to use.",
			happen: func(s *story) {
				s.change("provision", refusedBy("Internal"))
				on(func(o *observed.Objects) {
					o.Buckets[0].Status.ReadyToUse, o.Buckets[0].Status.Conditions = false, slices.Concat(retried[:1], yes)
				})(s)
			},
			want: []summary{{vocabulary.Status, "Bucket/" + bucket}},
		},
		"Protocols": {
			reason: "Users cannot read the Bucket.",
			happen: on(func(o *observed.Objects) {
				o.Buckets[0].Status.Protocols = []v1alpha2.Protocol{v1alpha2.ProtocolS3, v1alpha2.ProtocolGCS}
				o.Claims[0].Status.Protocols = []v1alpha2.Protocol{v1alpha2.ProtocolS3}
			}),
			want: untrueClaim,
		},
		"ProtocolsInAnotherOrder": {
			reason: "The order means nothing.",
			happen: on(func(o *observed.Objects) {
				o.Buckets[0].Status.Protocols = []v1alpha2.Protocol{v1alpha2.ProtocolS3, v1alpha2.ProtocolGCS}
				o.Claims[0].Status.Protocols = []v1alpha2.Protocol{v1alpha2.ProtocolGCS, v1alpha2.ProtocolS3}
			}),
		},
		"ClaimUnprotected": {
			reason: "An access uses it.",
			happen: on(func(o *observed.Objects) { o.Claims[0].Annotations = nil }),
			want:   untrueClaim,
		},
		"ClaimUnused": {
			reason: "No access uses it.",
			happen: on(func(o *observed.Objects) { o.Claims[0].Annotations, o.Accesses[0].Status.AccessedBuckets = nil, nil }),
		},
		"SecretUnprotected": {
			reason: "Its access is ready.",
			happen: on(func(o *observed.Objects) { o.Secrets[0].Finalizers = nil }),
			want:   untrueAccess,
		},
		"SecretOfAnother": {
			reason: "It belongs to an earlier access.",
			happen: on(func(o *observed.Objects) { o.Secrets[0].Finalizers, o.Secrets[0].Owner = nil, "earlier" }),
		},
		"AccessClass": {
			reason: "The class exists.",
			happen: on(func(o *observed.Objects) {
				access(v1alpha2.ReasonBucketAccessClassNotFound, func(a *v1alpha2.BucketAccess) { a.Spec.BucketAccessClassName = "key" })(o)
				o.AccessClasses = []v1alpha2.BucketAccessClass{{ObjectMeta: metav1.ObjectMeta{Name: "key"}}}
			}),
			want: untrueAccess,
		},
		"Claim":         {reason: "The claim exists.", happen: on(access(v1alpha2.ReasonBucketClaimNotFound, same)), want: untrueAccess},
		"ClaimDeleting": {reason: "Nothing deletes the claim.", happen: on(access(v1alpha2.ReasonBucketClaimDeleting, same)), want: untrueAccess},
		"ClaimMadeAgain": {
			reason: "The access is for another claim of that name.",
			happen: on(access(v1alpha2.ReasonBucketClaimNotFound, func(a *v1alpha2.BucketAccess) { a.Status.DriverName = driver })),
		},
	})
}
