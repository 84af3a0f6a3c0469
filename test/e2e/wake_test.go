package e2e_test

import (
	"context"
	"fmt"
	"strings"

	"google.golang.org/protobuf/proto"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/test/drivertest"
)

const foreignFinalizer = "example.com/backup"

// wakers are all the ways in which one object unblocks another.
var wakers = map[string]waker{
	"class created":                   classCreated,
	"access class created":            accessClassCreated,
	"access class replaced":           accessClassReplaced,
	"claim created":                   claimCreated,
	"claim replaced":                  claimReplaced,
	"existing Bucket created":         existingBucketCreated,
	"policy of the Bucket changed":    policyChanged,
	"Bucket ready, claim waits":       bucketReadyForClaim,
	"Bucket ready, access waits":      bucketReadyForAccess,
	"Bucket deleted":                  bucketDeleted,
	"claim deleted":                   claimDeleted,
	"last access gone":                lastAccessGone,
	"annotation of the claim removed": annotationRemoved,
	"annotation of the Bucket set":    annotationSet,
	"sidecar started last":            sidecarStarted,
	"driver back":                     driverBack,
	"Secret deleted":                  secretDeleted,
	"Secret edited":                   secretEdited,
	"foreign Secret removed":          foreignSecretRemoved,
	"Secret released":                 secretReleased,
}

// readyPair is a ready claim with an access to it.
func (s *scene) readyPair() *pair {
	p := s.dynamicPair(v1alpha2.DeletionPolicyDelete)
	p.rise()
	return p
}

func (s *scene) path(name string) string { return s.Namespace + "/" + name }

// waitsFor waits until an object says that it waits.
func (s *scene) waitsFor(object client.Object, reason string) {
	s.Helper()
	s.WaitCondition(object, v1alpha2.ConditionProvisioned, metav1.ConditionUnknown, reason)
}

// isRejected waits until an object says that it cannot be provisioned.
func (s *scene) isRejected(object client.Object, reason string) {
	s.Helper()
	s.WaitCondition(object, v1alpha2.ConditionProvisioned, metav1.ConditionFalse, reason)
}

func classCreated(s *scene) blockage {
	claim := s.claim("data")
	s.Make(claim)
	s.waitsFor(claim, v1alpha2.ReasonBucketClassNotFound)
	return blockage{
		unblock:  func() { s.Make(s.bucketClass()) },
		reaction: byController("create buckets", v1alpha2.BucketNameForClaim(claim.UID)),
	}
}

func accessClassCreated(s *scene) blockage {
	claim, access := s.claim("data"), s.access("app", "data")
	s.Make(s.bucketClass(), claim, access)
	s.WaitReady(claim)
	s.waitsFor(access, v1alpha2.ReasonBucketAccessClassNotFound)
	return blockage{
		unblock:  func() { s.Make(s.accessClass()) },
		reaction: byController("patch bucketaccesses/status", s.path("app")),
	}
}

func accessClassReplaced(s *scene) blockage {
	claim, access := s.claim("data"), s.access("app", "data")
	class := s.accessClass(disallow("objectData", v1alpha2.BucketAccessModeReadWrite))
	s.Make(s.bucketClass(), class, claim, access)
	s.WaitReady(claim)
	s.isRejected(access, v1alpha2.ReasonAccessModeDisallowed)
	s.Remove(class)
	s.waitsFor(access, v1alpha2.ReasonBucketAccessClassNotFound)
	return blockage{
		unblock:  func() { s.Make(s.accessClass()) },
		reaction: byController("patch bucketaccesses/status", s.path("app")),
	}
}

func claimCreated(s *scene) blockage {
	access := s.access("app", "data")
	s.Make(s.bucketClass(), s.accessClass(), access)
	s.waitsFor(access, v1alpha2.ReasonBucketClaimNotFound)
	return blockage{
		unblock:  func() { s.Make(s.claim("data")) },
		reaction: byController("patch bucketaccesses/status", s.path("app")),
	}
}

func claimReplaced(s *scene) blockage {
	p := s.readyPair()
	late := s.access("late", "data")
	p.Remove(p.claim)
	p.Make(late)
	p.isRejected(late, v1alpha2.ReasonBucketClaimDeleting)
	p.Remove(p.access)
	p.WaitGone(p.access, p.claim)
	p.waitsFor(late, v1alpha2.ReasonBucketClaimNotFound)
	return blockage{
		unblock:  func() { s.Make(s.claim("data")) },
		reaction: byController("patch bucketaccesses/status", s.path("late")),
	}
}

func existingBucketCreated(s *scene) blockage {
	bucket := s.existing()
	claim := s.claim("data", ofExisting(bucket))
	s.Make(claim)
	s.waitsFor(claim, v1alpha2.ReasonBucketNotFound)
	return blockage{
		unblock:  func() { s.Make(bucket) },
		reaction: byController("patch bucketclaims/status", s.path("data")),
	}
}

func policyChanged(s *scene) blockage {
	bucket := s.existing()
	bucket.Spec.DeletionPolicy = v1alpha2.DeletionPolicyDelete
	claim := s.claim("data", ofExisting(bucket))
	s.Make(bucket, claim)
	s.isRejected(claim, v1alpha2.ReasonDeletionPolicyNotAllowed)
	s.isRejected(bucket, v1alpha2.ReasonDeletionPolicyNotAllowed)
	return blockage{
		unblock:  func() { s.Modify(bucket, func() { bucket.Spec.DeletionPolicy = v1alpha2.DeletionPolicyRetain }) },
		reaction: byController("patch bucketclaims/status", s.path("data")),
	}
}

// slowBucket has the driver take its time with the bucket of a claim until the
// function that it returns is called.
func (s *scene) slowBucket(claim *v1alpha2.BucketClaim) (release func()) {
	hold, uid := make(chan struct{}), string(claim.UID) // the claim is read again meanwhile
	s.driver.Script("DriverCreateBucket", func(ctx context.Context, request proto.Message, next drivertest.Next) (proto.Message, error) {
		if strings.Contains(fmt.Sprint(request), uid) {
			select {
			case <-hold:
			case <-ctx.Done():
			}
		}
		return next()
	})
	return func() {
		s.driver.Script("DriverCreateBucket", nil)
		close(hold)
	}
}

func bucketReadyForClaim(s *scene) blockage {
	claim := s.claim("data")
	s.Make(claim)
	release := s.slowBucket(claim)
	s.Make(s.bucketClass())
	s.waitsFor(claim, v1alpha2.ReasonWaitingForBucket)
	written := bySidecar("patch buckets/status", v1alpha2.BucketNameForClaim(claim.UID))
	return blockage{unblock: release, trigger: &written, reaction: byController("patch bucketclaims/status", s.path("data"))}
}

func bucketReadyForAccess(s *scene) blockage {
	claim, access := s.claim("data"), s.access("app", "data")
	s.Make(claim, access)
	release := s.slowBucket(claim)
	s.Make(s.bucketClass(), s.accessClass())
	s.waitsFor(access, v1alpha2.ReasonWaitingForBucket)
	written := bySidecar("patch buckets/status", v1alpha2.BucketNameForClaim(claim.UID))
	return blockage{unblock: release, trigger: &written, reaction: byController("patch bucketaccesses/status", s.path("app"))}
}

func bucketDeleted(s *scene) blockage {
	p := s.readyPair()
	return blockage{
		unblock:  func() { s.Remove(p.objects[theBucket]) },
		reaction: byController("patch bucketclaims/status", s.path("data")),
	}
}

func claimDeleted(s *scene) blockage {
	claim := s.claim("data")
	s.Make(s.bucketClass(), claim)
	s.WaitReady(claim)
	bucket := bucketOf(claim)
	s.Remove(bucket)
	s.WaitCondition(bucket, v1alpha2.ConditionResourcesValidated, metav1.ConditionTrue, v1alpha2.ReasonDeletionBlocked)
	s.WaitCondition(claim, v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse, v1alpha2.ReasonBucketDeleting)
	return blockage{
		unblock:  func() { s.Remove(claim) },
		reaction: bySidecar("DriverDeleteBucket", bucketID(claim)),
	}
}

func lastAccessGone(s *scene) blockage {
	p := s.readyPair()
	p.Remove(p.claim)
	p.WaitCondition(p.claim, v1alpha2.ConditionResourcesValidated, metav1.ConditionTrue, v1alpha2.ReasonDeletionBlocked)
	released := byController("patch bucketclaims", s.path("data"))
	return blockage{
		unblock: func() { s.Remove(p.access) }, trigger: &released,
		reaction: byController("patch buckets", p.claim.Status.BoundBucketName),
	}
}

func annotationRemoved(s *scene) blockage {
	p := s.readyPair()
	return blockage{
		unblock: func() {
			s.Modify(p.claim, func() { unannotate(v1alpha2.HasBucketAccessReferencesAnnotation)(p.claim) })
		},
		reaction: byController("patch bucketclaims", s.path("data")),
	}
}

func annotationSet(s *scene) blockage {
	p := s.readyPair()
	bucket := p.objects[theBucket]
	return blockage{
		unblock:  func() { s.Modify(bucket, func() { annotate(v1alpha2.BucketClaimBeingDeletedAnnotation)(bucket) }) },
		reaction: bySidecar("patch buckets/status", bucket.GetName()),
	}
}

func sidecarStarted(s *scene) blockage {
	sidecar := s.emu.Component(emulator.ComponentSidecar)
	s.Must(sidecar.Stop(s.Context()))
	claim := s.claim("data")
	s.Make(s.bucketClass(), claim)
	s.waitsFor(claim, v1alpha2.ReasonWaitingForBucket)
	return blockage{
		unblock:  func() { s.Must(sidecar.Start(s.Context())) },
		reaction: bySidecar("patch buckets", claim.Status.BoundBucketName),
	}
}

// driverBack is no write, and it takes a connection to be made again.
func driverBack(s *scene) blockage {
	s.driver.Stop()
	claim := s.claim("data")
	s.Make(s.bucketClass(), claim)
	s.WaitCondition(claim, v1alpha2.ConditionProvisionFailed, metav1.ConditionTrue, v1alpha2.ReasonDriverError)
	return blockage{
		unblock:  s.driver.Serve,
		reaction: bySidecar("DriverCreateBucket", bucketID(claim)),
	}
}

func secretDeleted(s *scene) blockage {
	p := s.readyPair()
	return blockage{
		unblock:  func() { s.Remove(p.objects[theSecret]) },
		reaction: bySidecar("create secrets", s.path("app-data")),
	}
}

func secretEdited(s *scene) blockage {
	p := s.readyPair()
	secret := secretOf(p.access, 0)
	return blockage{
		unblock:  func() { s.Modify(secret, func() { secret.Data = map[string][]byte{"edited": nil} }) },
		reaction: bySidecar("update secrets", s.path("app-data")),
	}
}

func foreignSecretRemoved(s *scene) blockage {
	foreign := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, Name: "app-data"}}
	claim, access := s.claim("data"), s.access("app", "data")
	s.Make(foreign, s.bucketClass(), s.accessClass(), claim, access)
	s.isRejected(access, v1alpha2.ReasonSecretConflict)
	return blockage{
		unblock:  func() { s.Remove(foreign) },
		reaction: bySidecar("create secrets", s.path("app-data")),
	}
}

func secretReleased(s *scene) blockage {
	p := s.readyPair()
	secret := secretOf(p.access, 0)
	p.Modify(secret, func() { secret.Finalizers = append(secret.Finalizers, foreignFinalizer) })
	p.Eventually(func() error { return p.filled(p.access) })
	p.Remove(p.access)
	p.WaitCondition(p.access, v1alpha2.ConditionResourcesValidated, metav1.ConditionTrue, v1alpha2.ReasonDeletionBlocked)
	return blockage{
		unblock:  func() { s.Modify(secret, func() { secret.Finalizers = nil }) },
		reaction: bySidecar("DriverRevokeBucketAccess", accountID(p.access)),
	}
}
