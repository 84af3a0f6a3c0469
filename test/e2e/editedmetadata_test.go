package e2e_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator"
)

// annotations returns COSI's annotations of an object.
func annotations(object client.Object) []string {
	var found []string
	for _, name := range []string{
		v1alpha2.BucketClaimBeingDeletedAnnotation, v1alpha2.MisspeltBucketClaimBeingDeletedAnnotation,
		v1alpha2.HasBucketAccessReferencesAnnotation, v1alpha2.SidecarCleanupFinishedAnnotation,
	} {
		if metav1.HasAnnotation(*metadataOf(object), name) {
			found = append(found, name)
		}
	}
	return found
}

func metadataOf(object client.Object) *metav1.ObjectMeta {
	switch o := object.(type) {
	case *v1alpha2.Bucket:
		return &o.ObjectMeta
	case *v1alpha2.BucketClaim:
		return &o.ObjectMeta
	case *v1alpha2.BucketAccess:
		return &o.ObjectMeta
	default:
		return &metav1.ObjectMeta{}
	}
}

func annotate(name string) func(client.Object) {
	return func(object client.Object) { metav1.SetMetaDataAnnotation(metadataOf(object), name, "") }
}

func unannotate(name string) func(client.Object) {
	return func(object client.Object) { delete(metadataOf(object).Annotations, name) }
}

func unprotect(object client.Object) { object.SetFinalizers(nil) }

// TestEditedMetadata takes off what protects an object, or puts on what COSI's
// components tell each other by. All is as before soon after, and deletion does
// all that it has to.
func TestEditedMetadata(t *testing.T) {
	cl := newTestCluster(t)
	for name, tc := range map[string]struct {
		what string
		edit func(client.Object)
		// unused claims have no access.
		unused bool
	}{
		"Bucket without finalizer":      {what: theBucket, edit: unprotect},
		"claim without finalizer":       {what: theClaim, edit: unprotect},
		"access without finalizer":      {what: theAccess, edit: unprotect},
		"used claim without annotation": {what: theClaim, edit: unannotate(v1alpha2.HasBucketAccessReferencesAnnotation)},
		"unused claim with annotation": {
			what: theClaim, edit: annotate(v1alpha2.HasBucketAccessReferencesAnnotation), unused: true,
		},
		"live access with the sidecar's annotation": {
			what: theAccess, edit: annotate(v1alpha2.SidecarCleanupFinishedAnnotation),
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := cl.inNamespace(t).dynamicPair(v1alpha2.DeletionPolicyDelete)
			p.rise()
			if tc.unused {
				p.fall([]string{theAccess})
				p.WaitGone(p.access)
				p.Eventually(func() error { return p.expectUnheld(p.claim) })
			}
			object := p.objects[tc.what]
			p.Must(p.Refresh(object))
			before, marks := stateNow(object), annotations(object)
			p.Modify(object, func() { tc.edit(object) })
			check := func() error {
				if err := p.restored(tc.what, before); err != nil {
					return err
				}
				if diff := cmp.Diff(marks, annotations(object)); diff != "" {
					return fmt.Errorf("annotations (-before +now):\n%s", diff)
				}
				return nil
			}
			p.Eventually(check)
			cl.settle(t)
			if err := check(); err != nil {
				t.Errorf("at rest: %v", err)
			}
			p.fall([]string{theAccess, theClaim})
			p.expectNothingLeft(false)
		})
	}
}

// TestAccessSaidToBeCleanedUp: an access is revoked although, while the sidecar was stopped, a user
// set the annotation that reports the revocation.
func TestAccessSaidToBeCleanedUp(t *testing.T) {
	cl := newTestCluster(t)
	p := cl.dynamicPair(v1alpha2.DeletionPolicyDelete)
	p.rise()
	sidecar := cl.emu.Component(emulator.ComponentSidecar)
	p.Must(sidecar.Stop(t.Context()))
	p.Modify(p.access, func() { annotate(v1alpha2.SidecarCleanupFinishedAnnotation)(p.access) })
	p.fall([]string{theAccess, theClaim})
	cl.settle(t)
	p.Must(sidecar.Start(t.Context()))
	p.expectNothingLeft(false)
	p.expectRevokedLast(cl.history(t))
}

// TestClaimSaidToBeDeleted: a user sets the annotation by which the controller allows the sidecar to
// deprovision, in either spelling, on a Bucket whose claim is alive. The Bucket is not ready while
// the annotation is there, the access reports why, and nothing is deleted.
func TestClaimSaidToBeDeleted(t *testing.T) {
	cl := newTestCluster(t)
	for _, annotation := range []string{
		v1alpha2.BucketClaimBeingDeletedAnnotation, v1alpha2.MisspeltBucketClaimBeingDeletedAnnotation,
	} {
		t.Run(annotation, func(t *testing.T) {
			p := cl.inNamespace(t).dynamicPair(v1alpha2.DeletionPolicyDelete)
			p.rise()
			bucket := p.objects[theBucket]
			p.Modify(bucket, func() { annotate(annotation)(bucket) })
			p.Eventually(func() error { return p.notReady(bucket) })
			p.WaitCondition(p.access, v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse, v1alpha2.ReasonBucketClaimDeleting)
			p.WaitCondition(p.access, v1alpha2.ConditionProvisioned, metav1.ConditionTrue, v1alpha2.ReasonProvisioned)
			cl.settle(t)
			if got := count(cl.driver, "DriverDeleteBucket", p.bucketID()); got > 0 {
				t.Errorf("%d calls to delete the bucket of a live claim", got)
			}
			p.Modify(bucket, func() { unannotate(annotation)(bucket) })
			p.WaitReady(bucket)
			p.WaitCondition(p.access, v1alpha2.ConditionResourcesValidated, metav1.ConditionTrue, v1alpha2.ReasonValidated)

			p.Modify(bucket, func() { annotate(annotation)(bucket) })
			p.fall([]string{theClaim, theAccess})
			p.expectNothingLeft(false)
		})
	}
}

// TestForcedRemoval removes the finalizer of a deleting object before COSI has finished. The objects
// that refer to it report that it is missing, and can be deleted. COSI no longer knows the remaining
// bucket or account.
func TestForcedRemoval(t *testing.T) {
	cl := newTestCluster(t)
	t.Run("claim", func(t *testing.T) {
		p := cl.inNamespace(t).dynamicPair(v1alpha2.DeletionPolicyDelete)
		p.rise()
		p.removeByForce(p.claim)
		p.WaitCondition(p.access, v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse, v1alpha2.ReasonBucketClaimNotFound)
		p.WaitCondition(p.access, v1alpha2.ConditionProvisioned, metav1.ConditionTrue, v1alpha2.ReasonProvisioned)
		p.fall([]string{theAccess})
		p.WaitGone(p.access, p.objects[theSecret])
		// Only an administrator can tell what becomes of the bucket.
		bucket := &v1alpha2.Bucket{ObjectMeta: metav1.ObjectMeta{Name: p.objects[theBucket].GetName()}}
		p.Eventually(func() error {
			if err := p.Refresh(bucket); err != nil || v1alpha2.IsBucketClaimBeingDeleted(bucket) {
				return err
			}
			return fmt.Errorf("the Bucket is not announced: %v", bucket.Annotations)
		})
		p.Remove(bucket)
		p.WaitGone(bucket)
		if slices.Contains(cl.driver.Buckets(), p.bucketID()) {
			t.Error("the bucket is left in the backend")
		}
	})
	t.Run("bucket", func(t *testing.T) {
		p := cl.inNamespace(t).dynamicPair(v1alpha2.DeletionPolicyDelete)
		p.rise()
		p.removeByForce(p.objects[theBucket])
		p.WaitCondition(p.claim, v1alpha2.ConditionProvisioned, metav1.ConditionFalse, v1alpha2.ReasonBucketLost)
		p.WaitCondition(p.claim, v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse, v1alpha2.ReasonBucketLost)
		p.WaitCondition(p.access, v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse, v1alpha2.ReasonBucketLost)
		p.fall([]string{theAccess, theClaim})
		p.WaitGone(p.access, p.claim, p.objects[theSecret])
		if slices.Contains(cl.driver.Accounts(), accountID(p.access)) {
			t.Error("the account is left in the backend")
		}
	})
	t.Run("access", func(t *testing.T) {
		p := cl.inNamespace(t).dynamicPair(v1alpha2.DeletionPolicyDelete)
		p.rise()
		cl.driver.Hang("DriverRevokeBucketAccess")
		p.removeByForce(p.access)
		cl.driver.Script("DriverRevokeBucketAccess", nil)
		p.Eventually(func() error { return p.expectUnheld(p.claim) })
		p.fall([]string{theClaim})
		p.WaitGone(p.claim, p.objects[theBucket])
	})
}

// removeByForce deletes an object and takes all finalizers off, as long as there
// are some.
func (cl *testCluster) removeByForce(object client.Object) {
	cl.Helper()
	cl.Remove(object)
	cl.Eventually(func() error {
		if err := cl.Refresh(object); err != nil {
			return client.IgnoreNotFound(err)
		}
		object.SetFinalizers(nil)
		return errors.Join(errors.New("it is still there"), client.IgnoreNotFound(cl.Update(cl.Context(), object)))
	})
}
