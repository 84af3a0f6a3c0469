package sidecar_test

import (
	"context"
	"testing"

	"google.golang.org/protobuf/proto"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
	"github.com/cosi-emu/cosi-emu/test/drivertest"
)

// A bucket that exists is looked up under its own ID, by a Bucket that cannot
// vanish meanwhile. Two Buckets, for claims in two namespaces, may stand for it.
// KEP: USE-8, FLOW-STATIC-2.2, COND-BUCKET-3, GRPC-GENERATEBUCKETID-11
func TestExistingBucketIsLookedUp(t *testing.T) {
	cl := newTestCluster(t)
	cl.driver.AddBucket("shared")
	cl.driver.Script("DriverGetBucket", func(ctx context.Context, m proto.Message, next drivertest.Next) (proto.Message, error) {
		request, _ := m.(*cosiv1alpha2.DriverGetBucketRequest)
		list := &v1alpha2.BucketList{}
		if err := cl.List(ctx, list); err != nil {
			return nil, err
		}
		for i := range list.Items {
			bucket := &list.Items[i]
			if bucket.Name != request.GetParameters()["name"] {
				continue
			}
			if !controllerutil.ContainsFinalizer(bucket, v1alpha2.ProtectionFinalizer) {
				t.Errorf("Bucket %s has no finalizer yet", bucket.Name)
			}
			if meta.IsStatusConditionTrue(bucket.Status.Conditions, v1alpha2.ConditionProvisioned) {
				t.Errorf("Bucket %s is provisioned before DriverGetBucket", bucket.Name)
			}
		}
		return next()
	})
	cl.start()
	named := func(b *v1alpha2.Bucket) { b.Spec.Parameters = map[string]string{"name": b.Name} }
	one, two := cl.bucket(existing("shared"), named), cl.bucket(existing("shared"), named)
	cl.WaitReady(one, two)
	if one.Status.BucketID != "shared" || two.Status.BucketID != "shared" {
		t.Errorf("status.bucketID %q and %q", one.Status.BucketID, two.Status.BucketID)
	}
	cl.WaitCondition(one, v1alpha2.ConditionProvisioned, metav1.ConditionTrue, v1alpha2.ReasonProvisioned)
}

// The driver's description of an existing bucket has to fit the Bucket's protocols.
// KEP: GRPC-GETBUCKET-5
func TestExistingBucketOfAnotherProtocol(t *testing.T) {
	cl := newTestCluster(t)
	cl.driver.Answer("DriverGetBucket", &cosiv1alpha2.DriverGetBucketResponse{
		Protocols: &cosiv1alpha2.ObjectProtocolAndBucketInfo{Azure: &cosiv1alpha2.AzureBucketInfo{StorageAccount: "a"}},
	})
	cl.start()
	bucket := cl.bucket(existing("old"))
	cl.WaitCondition(bucket, v1alpha2.ConditionProvisioned, metav1.ConditionFalse, v1alpha2.ReasonInvalidDriverResponse)
	if bucket.Status.BucketID != "" {
		t.Errorf("status.bucketID = %q", bucket.Status.BucketID)
	}
}
