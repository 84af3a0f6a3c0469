package v1alpha1_test

import (
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	"github.com/cosi-emu/cosi-emu/test/cluster"
)

const (
	driver    = "driver.test"
	className = "gold"
	// existingName is the Bucket that claimOfExisting names.
	existingName = "brown"
)

func class() *v1alpha1.BucketClass {
	return &v1alpha1.BucketClass{
		ObjectMeta: metav1.ObjectMeta{Name: className},
		DriverName: driver, DeletionPolicy: v1alpha1.DeletionPolicyDelete,
		Parameters: map[string]string{"tier": "gold"},
	}
}

func (cl *testCluster) claim(name string) *v1alpha1.BucketClaim {
	return &v1alpha1.BucketClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: cl.Namespace, Name: name},
		Spec:       v1alpha1.BucketClaimSpec{BucketClassName: className, Protocols: []v1alpha1.Protocol{v1alpha1.ProtocolS3}},
	}
}

func (cl *testCluster) claimOfExisting(name string) *v1alpha1.BucketClaim {
	c := cl.claim(name)
	c.Spec.BucketClassName, c.Spec.ExistingBucketName = "", existingName
	return c
}

// existingBucket is a Bucket that an administrator creates, for no claim in particular.
func existingBucket() *v1alpha1.Bucket {
	return &v1alpha1.Bucket{
		ObjectMeta: metav1.ObjectMeta{Name: existingName},
		Spec: v1alpha1.BucketSpec{
			DriverName: driver, BucketClassName: "none", DeletionPolicy: v1alpha1.DeletionPolicyRetain, ExistingBucketID: "old/bucket",
			BucketClaim: &corev1.ObjectReference{}, Protocols: []v1alpha1.Protocol{v1alpha1.ProtocolS3},
		},
	}
}

// access requests access to the bucket of a claim.
func (cl *testCluster) access(name, claim string) *v1alpha1.BucketAccess {
	return &v1alpha1.BucketAccess{
		ObjectMeta: metav1.ObjectMeta{Namespace: cl.Namespace, Name: name},
		Spec: v1alpha1.BucketAccessSpec{
			BucketClaimName: claim, BucketAccessClassName: "keys", CredentialsSecretName: name, Protocol: v1alpha1.ProtocolS3,
		},
	}
}

// newBucketOf waits until the claim is bound, and returns its Bucket.
func (cl *testCluster) newBucketOf(claim *v1alpha1.BucketClaim) *v1alpha1.Bucket {
	cl.Helper()
	cluster.Await(cl.Cluster, claim, "is bound", func(c *v1alpha1.BucketClaim) error {
		if c.Status.BucketName == "" {
			return fmt.Errorf("not bound: %+v", c.Status)
		}
		return nil
	})
	bucket := &v1alpha1.Bucket{ObjectMeta: metav1.ObjectMeta{Name: claim.Status.BucketName}}
	cl.Must(cl.Refresh(bucket))
	return bucket
}

// The tests act as the sidecar: they write its results.

// guard sets the sidecar's finalizer.
func (cl *testCluster) guard(bucket *v1alpha1.Bucket) {
	cl.Helper()
	change(cl, bucket, func(b *v1alpha1.Bucket) { controllerutil.AddFinalizer(b, v1alpha1.BucketFinalizer) })
}

// release removes the sidecar's finalizer.
func (cl *testCluster) release(bucket *v1alpha1.Bucket) {
	cl.Helper()
	change(cl, bucket, func(b *v1alpha1.Bucket) { controllerutil.RemoveFinalizer(b, v1alpha1.BucketFinalizer) })
}

// provision reports that the bucket exists.
func (cl *testCluster) provision(bucket *v1alpha1.Bucket) {
	cl.Helper()
	report(cl, bucket, func(b *v1alpha1.Bucket) { b.Status = v1alpha1.BucketStatus{BucketReady: true, BucketID: "backend-id"} })
}

// provisioned makes a claim and a ready Bucket for it, of the class.
func (cl *testCluster) provisioned(name string) (*v1alpha1.BucketClaim, *v1alpha1.Bucket) {
	cl.Helper()
	claim := cl.claim(name)
	cl.Make(claim)
	bucket := cl.newBucketOf(claim)
	cl.guard(bucket)
	cl.provision(bucket)
	cluster.Await(cl.Cluster, claim, "is ready", ready)
	return claim, bucket
}

func ready(c *v1alpha1.BucketClaim) error {
	if !c.Status.BucketReady {
		return fmt.Errorf("not ready: %+v", c.Status)
	}
	return nil
}

func unready(c *v1alpha1.BucketClaim) error {
	if c.Status.BucketReady {
		return fmt.Errorf("ready: %+v", c.Status)
	}
	return nil
}

func deleting(b *v1alpha1.Bucket) error {
	if b.DeletionTimestamp.IsZero() {
		return errors.New("it is not being deleted")
	}
	return nil
}
