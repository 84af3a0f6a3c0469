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
func (cl *testCluster) readyPair() *pair {
	p := cl.dynamicPair(v1alpha2.DeletionPolicyDelete)
	p.rise()
	return p
}

func (cl *testCluster) path(name string) string { return cl.Namespace + "/" + name }

// waitsFor waits until an object reports that it waits.
func (cl *testCluster) waitsFor(object client.Object, reason string) {
	cl.Helper()
	cl.WaitCondition(object, v1alpha2.ConditionProvisioned, metav1.ConditionUnknown, reason)
}

// isRejected waits until an object reports that it cannot be provisioned.
func (cl *testCluster) isRejected(object client.Object, reason string) {
	cl.Helper()
	cl.WaitCondition(object, v1alpha2.ConditionProvisioned, metav1.ConditionFalse, reason)
}

func classCreated(cl *testCluster) blockage {
	claim := cl.claim("data")
	cl.Make(claim)
	cl.waitsFor(claim, v1alpha2.ReasonBucketClassNotFound)
	return blockage{
		unblock:  func() { cl.Make(cl.bucketClass()) },
		reaction: byController("create buckets", v1alpha2.BucketNameForClaim(claim.UID)),
	}
}

func accessClassCreated(cl *testCluster) blockage {
	claim, access := cl.claim("data"), cl.access("app", "data")
	cl.Make(cl.bucketClass(), claim, access)
	cl.WaitReady(claim)
	cl.waitsFor(access, v1alpha2.ReasonBucketAccessClassNotFound)
	return blockage{
		unblock:  func() { cl.Make(cl.accessClass()) },
		reaction: byController("patch bucketaccesses/status", cl.path("app")),
	}
}

func accessClassReplaced(cl *testCluster) blockage {
	claim, access := cl.claim("data"), cl.access("app", "data")
	class := cl.accessClass(disallow("objectData", v1alpha2.BucketAccessModeReadWrite))
	cl.Make(cl.bucketClass(), class, claim, access)
	cl.WaitReady(claim)
	cl.isRejected(access, v1alpha2.ReasonAccessModeDisallowed)
	cl.Remove(class)
	cl.waitsFor(access, v1alpha2.ReasonBucketAccessClassNotFound)
	return blockage{
		unblock:  func() { cl.Make(cl.accessClass()) },
		reaction: byController("patch bucketaccesses/status", cl.path("app")),
	}
}

func claimCreated(cl *testCluster) blockage {
	access := cl.access("app", "data")
	cl.Make(cl.bucketClass(), cl.accessClass(), access)
	cl.waitsFor(access, v1alpha2.ReasonBucketClaimNotFound)
	return blockage{
		unblock:  func() { cl.Make(cl.claim("data")) },
		reaction: byController("patch bucketaccesses/status", cl.path("app")),
	}
}

func claimReplaced(cl *testCluster) blockage {
	p := cl.readyPair()
	late := cl.access("late", "data")
	p.Remove(p.claim)
	p.Make(late)
	p.isRejected(late, v1alpha2.ReasonBucketClaimDeleting)
	p.Remove(p.access)
	p.WaitGone(p.access, p.claim)
	p.waitsFor(late, v1alpha2.ReasonBucketClaimNotFound)
	return blockage{
		unblock:  func() { cl.Make(cl.claim("data")) },
		reaction: byController("patch bucketaccesses/status", cl.path("late")),
	}
}

func existingBucketCreated(cl *testCluster) blockage {
	bucket := cl.existing()
	claim := cl.claim("data", ofExisting(bucket))
	cl.Make(claim)
	cl.waitsFor(claim, v1alpha2.ReasonBucketNotFound)
	return blockage{
		unblock:  func() { cl.Make(bucket) },
		reaction: byController("patch bucketclaims/status", cl.path("data")),
	}
}

func policyChanged(cl *testCluster) blockage {
	bucket := cl.existing()
	bucket.Spec.DeletionPolicy = v1alpha2.DeletionPolicyDelete
	claim := cl.claim("data", ofExisting(bucket))
	cl.Make(bucket, claim)
	cl.isRejected(claim, v1alpha2.ReasonDeletionPolicyNotAllowed)
	cl.isRejected(bucket, v1alpha2.ReasonDeletionPolicyNotAllowed)
	return blockage{
		unblock:  func() { cl.Modify(bucket, func() { bucket.Spec.DeletionPolicy = v1alpha2.DeletionPolicyRetain }) },
		reaction: byController("patch bucketclaims/status", cl.path("data")),
	}
}

// slowBucket has the driver take its time with the bucket of a claim until the
// function that it returns is called.
func (cl *testCluster) slowBucket(claim *v1alpha2.BucketClaim) (release func()) {
	hold, uid := make(chan struct{}), string(claim.UID) // the claim is read again meanwhile
	cl.driver.Script("DriverCreateBucket", func(ctx context.Context, request proto.Message, next drivertest.Next) (proto.Message, error) {
		if strings.Contains(fmt.Sprint(request), uid) {
			select {
			case <-hold:
			case <-ctx.Done():
			}
		}
		return next()
	})
	return func() {
		cl.driver.Script("DriverCreateBucket", nil)
		close(hold)
	}
}

func bucketReadyForClaim(cl *testCluster) blockage {
	claim := cl.claim("data")
	cl.Make(claim)
	release := cl.slowBucket(claim)
	cl.Make(cl.bucketClass())
	cl.waitsFor(claim, v1alpha2.ReasonWaitingForBucket)
	bucket := v1alpha2.BucketNameForClaim(claim.UID)
	written := bySidecar("patch buckets/status", bucket)
	return blockage{
		unblock: release, held: []string{bucket}, trigger: &written,
		reaction: byController("patch bucketclaims/status", cl.path("data")),
	}
}

func bucketReadyForAccess(cl *testCluster) blockage {
	claim, access := cl.claim("data"), cl.access("app", "data")
	cl.Make(claim, access)
	release := cl.slowBucket(claim)
	cl.Make(cl.bucketClass(), cl.accessClass())
	cl.waitsFor(access, v1alpha2.ReasonWaitingForBucket)
	bucket := v1alpha2.BucketNameForClaim(claim.UID)
	written := bySidecar("patch buckets/status", bucket)
	return blockage{
		unblock: release, held: []string{bucket}, trigger: &written,
		reaction: byController("patch bucketaccesses/status", cl.path("app")),
	}
}

func bucketDeleted(cl *testCluster) blockage {
	p := cl.readyPair()
	return blockage{
		unblock:  func() { cl.Remove(p.objects[theBucket]) },
		reaction: byController("patch bucketclaims/status", cl.path("data")),
	}
}

func claimDeleted(cl *testCluster) blockage {
	claim := cl.claim("data")
	cl.Make(cl.bucketClass(), claim)
	cl.WaitReady(claim)
	bucket := bucketOf(claim)
	cl.Remove(bucket)
	cl.WaitCondition(bucket, v1alpha2.ConditionResourcesValidated, metav1.ConditionTrue, v1alpha2.ReasonDeletionBlocked)
	cl.WaitCondition(claim, v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse, v1alpha2.ReasonBucketDeleting)
	return blockage{
		unblock:  func() { cl.Remove(claim) },
		reaction: bySidecar("DriverDeleteBucket", bucketID(claim)),
	}
}

func lastAccessGone(cl *testCluster) blockage {
	p := cl.readyPair()
	p.Remove(p.claim)
	p.WaitCondition(p.claim, v1alpha2.ConditionResourcesValidated, metav1.ConditionTrue, v1alpha2.ReasonDeletionBlocked)
	released := byController("patch bucketclaims", cl.path("data"))
	return blockage{
		unblock: func() { cl.Remove(p.access) }, trigger: &released,
		reaction: byController("patch buckets", p.claim.Status.BoundBucketName),
	}
}

func annotationRemoved(cl *testCluster) blockage {
	p := cl.readyPair()
	return blockage{
		unblock: func() {
			cl.Modify(p.claim, func() { unannotate(v1alpha2.HasBucketAccessReferencesAnnotation)(p.claim) })
		},
		reaction: byController("patch bucketclaims", cl.path("data")),
	}
}

func annotationSet(cl *testCluster) blockage {
	p := cl.readyPair()
	bucket := p.objects[theBucket]
	return blockage{
		unblock:  func() { cl.Modify(bucket, func() { annotate(v1alpha2.BucketClaimBeingDeletedAnnotation)(bucket) }) },
		reaction: bySidecar("patch buckets/status", bucket.GetName()),
	}
}

func sidecarStarted(cl *testCluster) blockage {
	sidecar := cl.emu.Component(emulator.ComponentSidecar)
	cl.Must(sidecar.Stop(cl.Context()))
	claim := cl.claim("data")
	cl.Make(cl.bucketClass(), claim)
	cl.waitsFor(claim, v1alpha2.ReasonWaitingForBucket)
	return blockage{
		unblock:  func() { cl.Must(sidecar.Start(cl.Context())) },
		reaction: bySidecar("patch buckets", claim.Status.BoundBucketName),
	}
}

// driverBack is no write, and it takes a connection to be made again.
func driverBack(cl *testCluster) blockage {
	cl.driver.Stop()
	claim := cl.claim("data")
	cl.Make(cl.bucketClass(), claim)
	cl.WaitCondition(claim, v1alpha2.ConditionProvisionFailed, metav1.ConditionTrue, v1alpha2.ReasonDriverError)
	return blockage{
		unblock:  cl.driver.Serve,
		reaction: bySidecar("DriverCreateBucket", bucketID(claim)),
	}
}

func secretDeleted(cl *testCluster) blockage {
	p := cl.readyPair()
	return blockage{
		unblock:  func() { cl.Remove(p.objects[theSecret]) },
		reaction: bySidecar("create secrets", cl.path("app-data")),
	}
}

func secretEdited(cl *testCluster) blockage {
	p := cl.readyPair()
	secret := secretOf(p.access, 0)
	return blockage{
		unblock:  func() { cl.Modify(secret, func() { secret.Data = map[string][]byte{"edited": nil} }) },
		reaction: bySidecar("update secrets", cl.path("app-data")),
	}
}

func foreignSecretRemoved(cl *testCluster) blockage {
	foreign := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: cl.Namespace, Name: "app-data"}}
	claim, access := cl.claim("data"), cl.access("app", "data")
	cl.Make(foreign, cl.bucketClass(), cl.accessClass(), claim, access)
	cl.isRejected(access, v1alpha2.ReasonSecretConflict)
	return blockage{
		unblock:  func() { cl.Remove(foreign) },
		reaction: bySidecar("create secrets", cl.path("app-data")),
	}
}

func secretReleased(cl *testCluster) blockage {
	p := cl.readyPair()
	secret := secretOf(p.access, 0)
	p.Modify(secret, func() { secret.Finalizers = append(secret.Finalizers, foreignFinalizer) })
	p.Eventually(func() error { return p.filled(p.access) })
	p.Remove(p.access)
	p.WaitCondition(p.access, v1alpha2.ConditionResourcesValidated, metav1.ConditionTrue, v1alpha2.ReasonDeletionBlocked)
	return blockage{
		unblock:  func() { cl.Modify(secret, func() { secret.Finalizers = nil }) },
		reaction: bySidecar("DriverRevokeBucketAccess", accountID(p.access)),
	}
}
