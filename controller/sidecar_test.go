package controller_test

import (
	"context"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/controller/ownership"
	"github.com/cosi-emu/cosi-emu/test/cluster"
)

// The tests act as the sidecar: they write its results.

// report writes the status of a Bucket.
func (cl *testCluster) report(bucket *v1alpha2.Bucket, change func(*v1alpha2.BucketStatus)) {
	cl.Helper()
	cl.Must(cl.Refresh(bucket))
	before := bucket.DeepCopy()
	change(&bucket.Status)
	cl.Must(cl.Status().Patch(context.Background(), bucket, client.MergeFrom(before)))
}

// identify is the sidecar's phase 1: the ID is known, the bucket is not there.
func identify(status *v1alpha2.BucketStatus) { status.BucketID = "backend-id" }

// provision fills in the status of a healthy Bucket.
func provision(status *v1alpha2.BucketStatus) {
	identify(status)
	status.ReadyToUse = true
	status.Protocols = []v1alpha2.Protocol{v1alpha2.ProtocolS3}
	conditions(status, metav1.ConditionTrue, metav1.ConditionTrue, metav1.ConditionFalse, "Fine")
}

func conditions(status *v1alpha2.BucketStatus, provisioned, validated, failed metav1.ConditionStatus, reason string) {
	for conditionType, value := range map[string]metav1.ConditionStatus{
		v1alpha2.ConditionProvisioned:        provisioned,
		v1alpha2.ConditionResourcesValidated: validated,
		v1alpha2.ConditionProvisionFailed:    failed,
	} {
		meta.SetStatusCondition(&status.Conditions, metav1.Condition{
			Type: conditionType, Status: value, Reason: reason, Message: "said the sidecar",
		})
	}
}

// guardBucket sets the sidecar's finalizer.
func (cl *testCluster) guardBucket(bucket *v1alpha2.Bucket) {
	cl.Helper()
	cl.Must(cl.Refresh(bucket))
	before := bucket.DeepCopy()
	controllerutil.AddFinalizer(bucket, v1alpha2.ProtectionFinalizer)
	cl.Must(cl.Patch(context.Background(), bucket, client.MergeFrom(before)))
}

// releaseBucket removes the sidecar's finalizer.
func (cl *testCluster) releaseBucket(bucket *v1alpha2.Bucket) {
	cl.Helper()
	cl.Must(cl.Refresh(bucket))
	before := bucket.DeepCopy()
	controllerutil.RemoveFinalizer(bucket, v1alpha2.ProtectionFinalizer)
	cl.Must(cl.Patch(context.Background(), bucket, client.MergeFrom(before)))
}

// provisioned makes a claim and a provisioned Bucket for it.
func (cl *testCluster) provisioned(name string) (*v1alpha2.BucketClaim, *v1alpha2.Bucket) {
	cl.Helper()
	claim := cl.claim(name)
	cl.Make(claim)
	bucket := cl.bucketOf(claim)
	cl.guardBucket(bucket)
	cl.report(bucket, provision)
	cluster.Await(cl.Cluster, claim, "is ready", func(c *v1alpha2.BucketClaim) error {
		if !c.Status.ReadyToUse {
			return fmt.Errorf("not ready: %+v", c.Status)
		}
		return nil
	})
	return claim, bucket
}

// handedOff waits until the access is the sidecar's.
func (cl *testCluster) handedOff(access *v1alpha2.BucketAccess) {
	cl.Helper()
	cluster.Await(cl.Cluster, access, "is handed off", func(a *v1alpha2.BucketAccess) error {
		if !ownership.SidecarOwns(a) {
			return fmt.Errorf("not handed off: %+v", a.Status)
		}
		return nil
	})
}

// reportAccess reports, as the sidecar, that an access is granted.
func (cl *testCluster) reportAccess(access *v1alpha2.BucketAccess) {
	cl.Helper()
	cl.Must(cl.Refresh(access))
	before := access.DeepCopy()
	access.Status.AccountID, access.Status.ReadyToUse = "account", true
	meta.SetStatusCondition(&access.Status.Conditions, metav1.Condition{
		Type: v1alpha2.ConditionProvisioned, Status: metav1.ConditionTrue, Reason: v1alpha2.ReasonProvisioned, Message: "said the sidecar",
	})
	cl.Must(cl.Status().Patch(context.Background(), access, client.MergeFrom(before)))
}

// finishCleanup reports, as the sidecar, that a deleted access is revoked.
func (cl *testCluster) finishCleanup(access *v1alpha2.BucketAccess) {
	cl.Helper()
	cl.Must(cl.Refresh(access))
	before := access.DeepCopy()
	access.Status.ReadyToUse = false
	cl.Must(cl.Status().Patch(context.Background(), access, client.MergeFrom(before)))
	before = access.DeepCopy()
	metav1.SetMetaDataAnnotation(&access.ObjectMeta, v1alpha2.SidecarCleanupFinishedAnnotation, "")
	cl.Must(cl.Patch(context.Background(), access, client.MergeFrom(before)))
}

// protected and unprotected check the annotation of a claim.
func protected(c *v1alpha2.BucketClaim) error {
	if !metav1.HasAnnotation(c.ObjectMeta, v1alpha2.HasBucketAccessReferencesAnnotation) {
		return errors.New("has no annotation")
	}
	return nil
}

func unprotected(c *v1alpha2.BucketClaim) error {
	if protected(c) == nil {
		return errors.New("has the annotation")
	}
	return nil
}
