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
	w := newWorld(t)
	w.driver.Script("DriverCreateBucket", func(ctx context.Context, m proto.Message, next drivertest.Next) (proto.Message, error) {
		request, _ := m.(*cosiv1alpha2.DriverCreateBucketRequest)
		stored := &v1alpha2.Bucket{}
		if err := w.Get(ctx, client.ObjectKey{Name: request.GetBucketId()[len("id-"):]}, stored); err != nil {
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
	w.start()
	bucket := w.readyBucket()
	w.settle()

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
	w.WaitCondition(bucket, v1alpha2.ConditionProvisioned, metav1.ConditionTrue, v1alpha2.ReasonProvisioned)
	w.WaitCondition(bucket, v1alpha2.ConditionResourcesValidated, metav1.ConditionTrue, v1alpha2.ReasonValidated)
	w.WaitCondition(bucket, v1alpha2.ConditionProvisionFailed, metav1.ConditionFalse, v1alpha2.ReasonDriverSucceeded)
	if diff := cmp.Diff([]string{"DriverGetInfo", "DriverGenerateBucketId", "DriverCreateBucket"}, w.driver.Methods()); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	wantWrites := []string{
		"PATCH " + path(bucket),             // finalizer
		"PATCH " + path(bucket) + "/status", // ID
		"PATCH " + path(bucket) + "/status", // result
	}
	if diff := cmp.Diff(wantWrites, lines(w.requests.Writes())); diff != "" {
		t.Errorf("writes (-want +got):\n%s", diff)
	}
	w.Eventually(func() error {
		if diff := cmp.Diff(map[string]int{v1alpha2.ReasonProvisioned: 1}, w.EventReasons(bucket)); diff != "" {
			return fmt.Errorf("events (-want +got):\n%s", diff)
		}
		return nil
	})
}

// KEP: CHANGE-9, FLOW-STATIC-1.1, FLOW-STATIC-2.3, FLOW-STATIC-2.4, FLOW-STATIC-2.5
// KEP: API-BUCKET-SPEC-7, COND-BUCKET-1, GRPC-GENERATEBUCKETID-1, GRPC-GETBUCKET-1
// KEP: GRPC-GETBUCKET-2, GRPC-GETBUCKET-6, UPGRADE-3
func TestExistingBucketIsFoundWhenItAppears(t *testing.T) {
	w := newWorld(t)
	w.start()
	bucket := w.bucket(existing("brown/field_1"))
	w.WaitCondition(bucket, v1alpha2.ConditionProvisionFailed, metav1.ConditionTrue, v1alpha2.ReasonDriverError)
	w.driver.AddBucket("brown/field_1")
	w.WaitReady(bucket)
	if got := bucket.Status.BucketID; got != "brown/field_1" {
		t.Errorf("status.bucketID = %q", got)
	}
	if calls := w.driver.Calls("DriverGenerateBucketId", "DriverCreateBucket"); len(calls) > 0 {
		t.Errorf("calls for a bucket that exists: %v", calls)
	}
}

// KEP: ARCH-3, OVER-6, FLOW-DELETE-3.2, FLOW-DELETE-3.3.2, FLOW-DELETE-3.3.4
// KEP: ANNO-1, GRPC-GENERATEBUCKETID-3, GRPC-DELETEBUCKET-1
func TestBucketIsDeleted(t *testing.T) {
	w := newWorld(t)
	w.start()
	bucket := w.readyBucket()

	w.Must(w.Delete(t.Context(), bucket))
	w.Eventually(func() error {
		if err := w.Refresh(bucket); err != nil || bucket.Status.ReadyToUse {
			return fmt.Errorf("ready although it is being deleted (%w)", err)
		}
		return nil
	})
	w.settle()
	if calls := w.driver.Calls("DriverDeleteBucket"); len(calls) > 0 {
		t.Fatalf("deleted before its claim is being deleted: %v", calls)
	}

	w.releaseClaim(bucket)
	w.WaitGone(bucket)
	if got := w.driver.Buckets(); len(got) > 0 {
		t.Errorf("left in the backend: %v", got)
	}
	request, _ := w.driver.Calls("DriverDeleteBucket")[0].Request.(*cosiv1alpha2.DriverDeleteBucketRequest)
	want := &cosiv1alpha2.DriverDeleteBucketRequest{BucketId: "id-" + bucket.Name, Parameters: map[string]string{"tier": "gold"}}
	if !proto.Equal(want, request) {
		t.Errorf("request = %v, want %v", request, want)
	}
}

// KEP: ANNO-2
func TestE20MisspeltAnnotationIsHonoured(t *testing.T) {
	w := newWorld(t)
	w.start()
	bucket := w.readyBucket()
	w.Modify(bucket, func() {
		metav1.SetMetaDataAnnotation(&bucket.ObjectMeta, v1alpha2.MisspeltBucketClaimBeingDeletedAnnotation, "")
	})
	w.Must(w.Delete(t.Context(), bucket))
	w.WaitGone(bucket)
}

// A Bucket with the policy Retain outlives its claim, says so at once, and goes
// without its bucket when an administrator deletes it.
// KEP: CHANGE-2, FLOW-DELETE-0.2, FLOW-DELETE-3.4
func TestE19AndE26RetainedBucket(t *testing.T) {
	w := newWorld(t)
	w.start()
	bucket := w.readyBucket(retain)

	w.releaseClaim(bucket)
	w.Eventually(func() error {
		if err := w.Refresh(bucket); err != nil || bucket.Status.ReadyToUse {
			return fmt.Errorf("ready although its claim is being deleted (%w)", err)
		}
		return nil
	})
	w.Must(w.Delete(t.Context(), bucket))
	w.WaitGone(bucket)
	if diff := cmp.Diff([]string{"id-" + bucket.Name}, w.driver.Buckets()); diff != "" {
		t.Errorf("backend (-want +got):\n%s", diff)
	}
}

// The policy may be changed to Retain while the Bucket waits for its end.
// KEP: USE-4, FLOW-DELETE-3.2, COND-BUCKET-4, REASON-25
func TestExistingBucketIsNeverDeleted(t *testing.T) {
	w := newWorld(t)
	w.start()
	w.driver.AddBucket("keep-me")
	bucket := w.readyBucket(existing("keep-me"))
	w.Modify(bucket, func() { bucket.Spec.DeletionPolicy = v1alpha2.DeletionPolicyDelete })
	w.WaitCondition(bucket, v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse, v1alpha2.ReasonDeletionPolicyNotAllowed)

	w.Must(w.Delete(t.Context(), bucket))
	w.settle()
	w.Must(w.Refresh(bucket))
	w.Modify(bucket, func() { bucket.Spec.DeletionPolicy = v1alpha2.DeletionPolicyRetain })
	w.WaitGone(bucket)
	if calls := w.driver.Calls("DriverDeleteBucket"); len(calls) > 0 {
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
