package sidecar_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
	"github.com/cosi-emu/cosi-emu/test/cluster"
	"github.com/cosi-emu/cosi-emu/test/drivertest"
)

// KEP: CHANGE-10, OVER-3, FLOW-CREATE-3.2, FLOW-CREATE-3.3, FLOW-CREATE-3.4
// KEP: FLOW-CREATE-3.5, FLOW-CREATE-4, COND-PROV-3, COND-VALID-4, COND-FAILED-3
// KEP: API-BUCKET-STATUS-2, API-BUCKET-STATUS-4, COND-BUCKET-3, GRPC-GENERATEBUCKETID-1
// KEP: GRPC-GENERATEBUCKETID-9, GRPC-CREATEBUCKET-1, GRPC-CREATEBUCKET-5, GRPC-GETBUCKET-1, TEST-4
// KEP: STATUS-BUCKET-1, REASON-2, REASON-3, REASON-4
func TestBucketIsProvisionedInTwoPhases(t *testing.T) {
	cl := newTestCluster(t)
	cl.driver.Script("DriverCreateBucket", func(ctx context.Context, m proto.Message, next drivertest.Next) (proto.Message, error) {
		request, _ := m.(*cosiv1alpha2.DriverCreateBucketRequest)
		stored := &v1alpha2.Bucket{}
		if err := cl.Get(ctx, client.ObjectKey{Name: request.GetBucketId()[len("id-"):]}, stored); err != nil {
			return nil, err
		}
		if stored.Status.BucketID != request.GetBucketId() || !controllerutil.ContainsFinalizer(stored, v1alpha2.ProtectionFinalizer) {
			t.Errorf("DriverCreateBucket before the ID and the finalizer are persisted: %q, %v", stored.Status.BucketID, stored.Finalizers)
		}
		if stored.Status.ReadyToUse || meta.IsStatusConditionTrue(stored.Status.Conditions, v1alpha2.ConditionProvisioned) {
			t.Errorf("the Bucket is provisioned before DriverCreateBucket: %v", cluster.Lines(stored.Status.Conditions))
		}
		return next()
	})
	cl.start()
	bucket := cl.readyBucket()
	cl.settle()

	want := v1alpha2.BucketStatus{
		ReadyToUse: true,
		BucketID:   "id-" + bucket.Name,
		Protocols:  []v1alpha2.Protocol{v1alpha2.ProtocolS3},
		BucketInfo: map[string]string{
			v1alpha2.SecretKeyProtocol:          "S3",
			v1alpha2.SecretKeyBucketName:        "id-" + bucket.Name,
			v1alpha2.SecretKeyS3Endpoint:        drivertest.S3Endpoint,
			v1alpha2.SecretKeyS3Region:          drivertest.S3Region,
			v1alpha2.SecretKeyS3AddressingStyle: "path",
		},
	}
	got := bucket.Status.DeepCopy()
	got.Conditions = nil
	if diff := cmp.Diff(want, *got); diff != "" {
		t.Errorf("status (-want +got):\n%s", diff)
	}
	cl.WaitCondition(bucket, v1alpha2.ConditionProvisioned, metav1.ConditionTrue, v1alpha2.ReasonProvisioned)
	cl.WaitCondition(bucket, v1alpha2.ConditionResourcesValidated, metav1.ConditionTrue, v1alpha2.ReasonValidated)
	cl.WaitCondition(bucket, v1alpha2.ConditionProvisionFailed, metav1.ConditionFalse, v1alpha2.ReasonDriverSucceeded)
	if diff := cmp.Diff([]string{"DriverGetInfo", "DriverGenerateBucketId", "DriverCreateBucket"}, cl.driver.Methods()); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	wantWrites := []string{
		"PATCH " + path(bucket),             // finalizer
		"PATCH " + path(bucket) + "/status", // ID
		"PATCH " + path(bucket) + "/status", // result
	}
	if diff := cmp.Diff(wantWrites, lines(cl.Requests.Writes())); diff != "" {
		t.Errorf("writes (-want +got):\n%s", diff)
	}
	cl.Eventually(func() error {
		if diff := cmp.Diff(map[string]int{v1alpha2.ReasonProvisioned: 1}, cl.EventReasons(bucket)); diff != "" {
			return fmt.Errorf("events (-want +got):\n%s", diff)
		}
		return nil
	})
}

// KEP: CHANGE-9, FLOW-STATIC-1.1, FLOW-STATIC-2.3, FLOW-STATIC-2.4, FLOW-STATIC-2.5
// KEP: API-BUCKET-SPEC-7, COND-BUCKET-1, GRPC-GENERATEBUCKETID-1, GRPC-GETBUCKET-1
// KEP: GRPC-GETBUCKET-2, GRPC-GETBUCKET-6, UPGRADE-3
func TestExistingBucketIsFoundWhenItAppears(t *testing.T) {
	cl := newTestCluster(t)
	cl.start()
	bucket := cl.bucket(existing("brown/field_1"))
	cl.WaitCondition(bucket, v1alpha2.ConditionProvisionFailed, metav1.ConditionTrue, v1alpha2.ReasonDriverError)
	cl.driver.AddBucket("brown/field_1")
	cl.WaitReady(bucket)
	if got := bucket.Status.BucketID; got != "brown/field_1" {
		t.Errorf("status.bucketID = %q", got)
	}
	if calls := cl.driver.Calls("DriverGenerateBucketId", "DriverCreateBucket"); len(calls) > 0 {
		t.Errorf("calls for a bucket that exists: %v", calls)
	}
}

// KEP: ARCH-3, OVER-6, FLOW-DELETE-3.2, FLOW-DELETE-3.3.2, FLOW-DELETE-3.3.4
// KEP: ANNO-1, GRPC-GENERATEBUCKETID-3, GRPC-DELETEBUCKET-1
func TestBucketIsDeleted(t *testing.T) {
	cl := newTestCluster(t)
	cl.start()
	bucket := cl.readyBucket()

	cl.Must(cl.Delete(t.Context(), bucket))
	cl.Eventually(func() error {
		if err := cl.Refresh(bucket); err != nil || bucket.Status.ReadyToUse {
			return fmt.Errorf("ready although it is being deleted (%w)", err)
		}
		return nil
	})
	cl.settle()
	if calls := cl.driver.Calls("DriverDeleteBucket"); len(calls) > 0 {
		t.Fatalf("deleted before its claim is being deleted: %v", calls)
	}

	cl.releaseClaim(bucket)
	cl.WaitGone(bucket)
	if got := cl.driver.Buckets(); len(got) > 0 {
		t.Errorf("left in the backend: %v", got)
	}
	request, _ := cl.driver.Calls("DriverDeleteBucket")[0].Request.(*cosiv1alpha2.DriverDeleteBucketRequest)
	want := &cosiv1alpha2.DriverDeleteBucketRequest{BucketId: "id-" + bucket.Name, Parameters: map[string]string{"tier": "gold"}}
	if !proto.Equal(want, request) {
		t.Errorf("request = %v, want %v", request, want)
	}
}

// KEP: ANNO-2
func TestE20MisspeltAnnotationIsHonoured(t *testing.T) {
	cl := newTestCluster(t)
	cl.start()
	bucket := cl.readyBucket()
	cl.Modify(bucket, func() {
		metav1.SetMetaDataAnnotation(&bucket.ObjectMeta, v1alpha2.MisspeltBucketClaimBeingDeletedAnnotation, "")
	})
	cl.Must(cl.Delete(t.Context(), bucket))
	cl.WaitGone(bucket)
}

// A Bucket with the policy Retain outlives its claim and reports so at once. When an administrator
// deletes it, its bucket stays.
// KEP: CHANGE-2, FLOW-DELETE-0.2, FLOW-DELETE-3.4
func TestE19AndE26RetainedBucket(t *testing.T) {
	cl := newTestCluster(t)
	cl.start()
	bucket := cl.readyBucket(retain)

	cl.releaseClaim(bucket)
	cl.Eventually(func() error {
		if err := cl.Refresh(bucket); err != nil || bucket.Status.ReadyToUse {
			return fmt.Errorf("ready although its claim is being deleted (%w)", err)
		}
		return nil
	})
	cl.Must(cl.Delete(t.Context(), bucket))
	cl.WaitGone(bucket)
	if diff := cmp.Diff([]string{"id-" + bucket.Name}, cl.driver.Buckets()); diff != "" {
		t.Errorf("backend (-want +got):\n%s", diff)
	}
}

// The policy may be changed to Retain while the Bucket waits for its end.
// KEP: USE-4, FLOW-DELETE-3.2, COND-BUCKET-4, REASON-25
func TestExistingBucketIsNeverDeleted(t *testing.T) {
	cl := newTestCluster(t)
	cl.start()
	cl.driver.AddBucket("keep-me")
	bucket := cl.readyBucket(existing("keep-me"))
	cl.Modify(bucket, func() { bucket.Spec.DeletionPolicy = v1alpha2.DeletionPolicyDelete })
	cl.WaitCondition(bucket, v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse, v1alpha2.ReasonDeletionPolicyNotAllowed)

	cl.Must(cl.Delete(t.Context(), bucket))
	cl.settle()
	cl.Must(cl.Refresh(bucket))
	cl.Modify(bucket, func() { bucket.Spec.DeletionPolicy = v1alpha2.DeletionPolicyRetain })
	cl.WaitGone(bucket)
	if calls := cl.driver.Calls("DriverDeleteBucket"); len(calls) > 0 {
		t.Errorf("calls to delete what COSI did not create: %v", calls)
	}
}

func path(object client.Object) string {
	switch object.(type) {
	case *v1alpha2.Bucket:
		return "/apis/objectstorage.k8s.io/v1alpha2/buckets/" + object.GetName()
	case *v1alpha2.BucketAccess:
		return "/apis/objectstorage.k8s.io/v1alpha2/namespaces/" + object.GetNamespace() + "/bucketaccesses/" + object.GetName()
	default:
		return "/api/v1/namespaces/" + object.GetNamespace() + "/secrets/" + object.GetName()
	}
}
