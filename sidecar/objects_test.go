package sidecar_test

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/rand"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/test/cluster"
)

// bucket creates a Bucket as the controller does for a claim of a BucketClass.
func (cl *testCluster) bucket(change ...func(*v1alpha2.Bucket)) *v1alpha2.Bucket {
	cl.Helper()
	claim := newUID()
	bucket := &v1alpha2.Bucket{
		ObjectMeta: metav1.ObjectMeta{Name: v1alpha2.BucketNameForClaim(types.UID(claim))},
		Spec: v1alpha2.BucketSpec{
			DriverName:     cl.driver.Name(),
			DeletionPolicy: v1alpha2.DeletionPolicyDelete,
			Parameters:     map[string]string{"tier": "gold"},
			Protocols:      []v1alpha2.Protocol{v1alpha2.ProtocolS3},
			BucketClaimRef: v1alpha2.BucketClaimReference{Namespace: cl.Namespace, Name: "claim-" + rand.String(6), UID: types.UID(claim)},
		},
	}
	for _, c := range change {
		c(bucket)
	}
	cl.Must(cl.Create(cl.Context(), bucket))
	cl.Cleanup(func() { cl.ForceRemove(bucket) })
	return bucket
}

// existing makes a Bucket one that an administrator brings in, unbound.
func existing(id string) func(*v1alpha2.Bucket) {
	return func(b *v1alpha2.Bucket) {
		b.Spec.ExistingBucketID = id
		b.Spec.DeletionPolicy = v1alpha2.DeletionPolicyRetain
		b.Spec.BucketClaimRef.UID = ""
	}
}

func retain(b *v1alpha2.Bucket) { b.Spec.DeletionPolicy = v1alpha2.DeletionPolicyRetain }

// readyBucket creates a Bucket and waits for it.
func (cl *testCluster) readyBucket(change ...func(*v1alpha2.Bucket)) *v1alpha2.Bucket {
	cl.Helper()
	bucket := cl.bucket(change...)
	cl.WaitReady(bucket)
	return bucket
}

func (cl *testCluster) isReady(bucket *v1alpha2.Bucket) error {
	if err := cl.Refresh(bucket); err != nil {
		return err
	}
	if !bucket.Status.ReadyToUse {
		return fmt.Errorf("Bucket %s is not ready: %v", bucket.Name, cluster.Lines(bucket.Status.Conditions))
	}
	return nil
}

// releaseClaim acts as the controller when the claim is deleted.
func (cl *testCluster) releaseClaim(bucket *v1alpha2.Bucket) {
	cl.Helper()
	cl.Modify(bucket, func() {
		metav1.SetMetaDataAnnotation(&bucket.ObjectMeta, v1alpha2.BucketClaimBeingDeletedAnnotation, "")
	})
}

// access creates a BucketAccess to Buckets and hands it over to the sidecar, as
// the controller does.
func (cl *testCluster) access(buckets []*v1alpha2.Bucket, change ...func(*v1alpha2.BucketAccess)) *v1alpha2.BucketAccess {
	cl.Helper()
	access := &v1alpha2.BucketAccess{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: cl.Namespace, Name: "access-" + rand.String(6), Finalizers: []string{v1alpha2.ProtectionFinalizer},
		},
		Spec: v1alpha2.BucketAccessSpec{BucketAccessClassName: "some", Protocol: v1alpha2.ProtocolS3},
	}
	status := v1alpha2.BucketAccessStatus{
		DriverName: cl.driver.Name(), AuthenticationType: v1alpha2.AuthenticationTypeKey, Parameters: map[string]string{"role": "app"},
	}
	for _, bucket := range buckets {
		claim := bucket.Spec.BucketClaimRef.Name
		access.Spec.BucketClaims = append(access.Spec.BucketClaims, v1alpha2.BucketClaimAccess{
			BucketClaimName:  claim,
			AccessModes:      v1alpha2.BucketAccessModes{ObjectData: v1alpha2.BucketAccessModeReadWrite},
			AccessSecretName: "secret-" + rand.String(6),
		})
		status.AccessedBuckets = append(status.AccessedBuckets, v1alpha2.AccessedBucket{
			BucketName: bucket.Name, BucketID: "id-" + bucket.Name, BucketClaimName: claim,
		})
	}
	access.Status = status
	for _, c := range change {
		c(access)
	}
	status = access.Status
	cl.Must(cl.Create(cl.Context(), access))
	cl.Cleanup(func() { cl.ForceRemove(access) })
	access.Status = status
	cl.Must(cl.Status().Update(cl.Context(), access))
	return access
}

// readyAccess creates a BucketAccess and waits for it.
func (cl *testCluster) readyAccess(buckets ...*v1alpha2.Bucket) *v1alpha2.BucketAccess {
	cl.Helper()
	access := cl.access(buckets)
	cl.WaitReady(access)
	return access
}

func (cl *testCluster) isGranted(access *v1alpha2.BucketAccess) error {
	if err := cl.Refresh(access); err != nil {
		return err
	}
	if !access.Status.ReadyToUse {
		return fmt.Errorf("BucketAccess %s is not ready: %v", access.Name, cluster.Lines(access.Status.Conditions))
	}
	return nil
}

// secret reads the n-th Secret of an access.
func (cl *testCluster) secret(access *v1alpha2.BucketAccess, n int) (*corev1.Secret, error) {
	secret := &corev1.Secret{}
	key := client.ObjectKey{Namespace: access.Namespace, Name: access.Spec.BucketClaims[n].AccessSecretName}
	return secret, cl.Get(cl.Context(), key, secret)
}

func namingSecret(name string) func(*v1alpha2.BucketAccess) {
	return func(access *v1alpha2.BucketAccess) { access.Spec.BucketClaims[0].AccessSecretName = name }
}

func containsAny(s string, parts ...string) bool {
	return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(s, part) })
}
