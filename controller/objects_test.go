package controller_test

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/test/cluster"
)

const (
	driver      = "driver.test"
	className   = "gold"
	accessClass = "keys"
	// existingName is the Bucket that claimOfExisting claims.
	existingName = "brown"
)

func class(change ...func(*v1alpha2.BucketClassSpec)) *v1alpha2.BucketClass {
	c := &v1alpha2.BucketClass{
		ObjectMeta: metav1.ObjectMeta{Name: className},
		Spec: v1alpha2.BucketClassSpec{
			DriverName: driver, DeletionPolicy: v1alpha2.DeletionPolicyDelete,
			Parameters: map[string]string{"tier": "gold"},
		},
	}
	for _, f := range change {
		f(&c.Spec)
	}
	return c
}

func retain(spec *v1alpha2.BucketClassSpec) { spec.DeletionPolicy = v1alpha2.DeletionPolicyRetain }

func (cl *testCluster) claim(name string) *v1alpha2.BucketClaim {
	return &v1alpha2.BucketClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: cl.Namespace, Name: name},
		Spec: v1alpha2.BucketClaimSpec{
			BucketClassName: className, Protocols: []v1alpha2.Protocol{v1alpha2.ProtocolS3},
		},
	}
}

func (cl *testCluster) claimOfExisting() *v1alpha2.BucketClaim {
	c := cl.claim("data")
	c.Spec.BucketClassName, c.Spec.ExistingBucketName = "", existingName
	return c
}

// existingBucket is a Bucket that an administrator creates for the claim of that name.
func (cl *testCluster) existingBucket(name, claim string) *v1alpha2.Bucket {
	return &v1alpha2.Bucket{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: v1alpha2.BucketSpec{
			DriverName: driver, DeletionPolicy: v1alpha2.DeletionPolicyRetain, ExistingBucketID: "old/bucket",
			BucketClaimRef: v1alpha2.BucketClaimReference{Namespace: cl.Namespace, Name: claim},
		},
	}
}

func newAccessClass(change ...func(*v1alpha2.BucketAccessClassSpec)) *v1alpha2.BucketAccessClass {
	c := &v1alpha2.BucketAccessClass{
		ObjectMeta: metav1.ObjectMeta{Name: accessClass},
		Spec: v1alpha2.BucketAccessClassSpec{
			DriverName: driver, AuthenticationType: v1alpha2.AuthenticationTypeKey,
			Parameters: map[string]string{"role": "user"},
		},
	}
	for _, f := range change {
		f(&c.Spec)
	}
	return c
}

// access asks for S3 access to the claims, with a Secret named after each.
func (cl *testCluster) access(name string, claims ...string) *v1alpha2.BucketAccess {
	a := &v1alpha2.BucketAccess{
		ObjectMeta: metav1.ObjectMeta{Namespace: cl.Namespace, Name: name},
		Spec: v1alpha2.BucketAccessSpec{
			BucketAccessClassName: accessClass, Protocol: v1alpha2.ProtocolS3,
		},
	}
	for _, claim := range claims {
		a.Spec.BucketClaims = append(a.Spec.BucketClaims, v1alpha2.BucketClaimAccess{
			BucketClaimName: claim, AccessSecretName: name + "-" + claim,
			AccessModes: v1alpha2.BucketAccessModes{ObjectData: v1alpha2.BucketAccessModeReadWrite},
		})
	}
	return a
}

// bucketOf returns the Bucket that the claim is bound to, when it is.
func (cl *testCluster) bucketOf(claim *v1alpha2.BucketClaim) *v1alpha2.Bucket {
	cl.Helper()
	cluster.Await(cl.Cluster, claim, "is bound", func(c *v1alpha2.BucketClaim) error {
		if c.Status.BoundBucketName == "" {
			return fmt.Errorf("not bound: %+v", c.Status)
		}
		return nil
	})
	bucket := &v1alpha2.Bucket{}
	cl.Must(cl.Get(context.Background(), client.ObjectKey{Name: claim.Status.BoundBucketName}, bucket))
	return bucket
}
