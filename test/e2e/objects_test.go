package e2e_test

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/test/drivertest"
)

// bucketClass is the cluster's BucketClass, with the policy Delete.
func (cl *testCluster) bucketClass(change ...func(*v1alpha2.BucketClass)) *v1alpha2.BucketClass {
	class := &v1alpha2.BucketClass{
		ObjectMeta: metav1.ObjectMeta{Name: cl.Namespace},
		Spec:       v1alpha2.BucketClassSpec{DriverName: cl.driver.Name(), DeletionPolicy: v1alpha2.DeletionPolicyDelete},
	}
	for _, c := range change {
		c(class)
	}
	return class
}

func withPolicy(policy v1alpha2.DeletionPolicy) func(*v1alpha2.BucketClass) {
	return func(class *v1alpha2.BucketClass) { class.Spec.DeletionPolicy = policy }
}

// accessClass is the cluster's BucketAccessClass, with keys, for one bucket.
func (cl *testCluster) accessClass(change ...func(*v1alpha2.BucketAccessClass)) *v1alpha2.BucketAccessClass {
	class := &v1alpha2.BucketAccessClass{
		ObjectMeta: metav1.ObjectMeta{Name: cl.Namespace},
		Spec: v1alpha2.BucketAccessClassSpec{
			DriverName: cl.driver.Name(), AuthenticationType: v1alpha2.AuthenticationTypeKey,
		},
	}
	for _, c := range change {
		c(class)
	}
	return class
}

func forSeveralBuckets(class *v1alpha2.BucketAccessClass) {
	class.Spec.MultiBucketAccess = v1alpha2.MultiBucketAccessMultipleBuckets
}

// claim claims a bucket of the cluster's class.
func (cl *testCluster) claim(name string, change ...func(*v1alpha2.BucketClaim)) *v1alpha2.BucketClaim {
	claim := &v1alpha2.BucketClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: cl.Namespace, Name: name},
		Spec:       v1alpha2.BucketClaimSpec{BucketClassName: cl.Namespace, Protocols: []v1alpha2.Protocol{v1alpha2.ProtocolS3}},
	}
	for _, c := range change {
		c(claim)
	}
	return claim
}

// ofExisting makes a claim one of a Bucket that an administrator has made.
func ofExisting(bucket *v1alpha2.Bucket) func(*v1alpha2.BucketClaim) {
	return func(claim *v1alpha2.BucketClaim) {
		claim.Spec.BucketClassName = ""
		claim.Spec.ExistingBucketName = bucket.Name
	}
}

// existing is the Bucket that an administrator makes for the claim "data", of a
// bucket that the backend has already.
func (cl *testCluster) existing() *v1alpha2.Bucket {
	id := "existing-" + cl.Namespace
	cl.driver.AddBucket(id)
	return &v1alpha2.Bucket{
		ObjectMeta: metav1.ObjectMeta{Name: cl.Namespace},
		Spec: v1alpha2.BucketSpec{
			DriverName:       cl.driver.Name(),
			DeletionPolicy:   v1alpha2.DeletionPolicyRetain,
			Protocols:        []v1alpha2.Protocol{v1alpha2.ProtocolS3},
			BucketClaimRef:   v1alpha2.BucketClaimReference{Namespace: cl.Namespace, Name: "data"},
			ExistingBucketID: id,
		},
	}
}

// access wants to read and write the buckets of claims, of the cluster's class.
// The Secrets are named after the access and the claim.
func (cl *testCluster) access(name string, claims ...string) *v1alpha2.BucketAccess {
	access := &v1alpha2.BucketAccess{
		ObjectMeta: metav1.ObjectMeta{Namespace: cl.Namespace, Name: name},
		Spec:       v1alpha2.BucketAccessSpec{BucketAccessClassName: cl.Namespace, Protocol: v1alpha2.ProtocolS3},
	}
	for _, claim := range claims {
		access.Spec.BucketClaims = append(access.Spec.BucketClaims, v1alpha2.BucketClaimAccess{
			BucketClaimName:  claim,
			AccessModes:      v1alpha2.BucketAccessModes{ObjectData: v1alpha2.BucketAccessModeReadWrite},
			AccessSecretName: name + "-" + claim,
		})
	}
	return access
}

// bucketOf is the Bucket that a claim is bound to, not read yet.
func bucketOf(claim *v1alpha2.BucketClaim) *v1alpha2.Bucket {
	return &v1alpha2.Bucket{ObjectMeta: metav1.ObjectMeta{Name: claim.Status.BoundBucketName}}
}

// secretOf is the n-th Secret of an access, not read yet.
func secretOf(access *v1alpha2.BucketAccess, n int) *corev1.Secret {
	return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: access.Namespace, Name: access.Spec.BucketClaims[n].AccessSecretName}}
}

// The driver makes IDs from names, and names are made from UIDs.

func bucketID(claim client.Object) string { return "id-" + v1alpha2.BucketNameForClaim(claim.GetUID()) }

func accountID(access client.Object) string {
	return "id-" + v1alpha2.AccountNameForAccess(access.GetUID())
}

// s3Data is the expected data of the Secret of an access to a bucket.
func s3Data(access client.Object, bucket string) map[string]string {
	return map[string]string{
		v1alpha2.SecretKeyProtocol:          string(v1alpha2.ProtocolS3),
		v1alpha2.SecretKeyBucketName:        bucket,
		v1alpha2.SecretKeyS3Endpoint:        drivertest.S3Endpoint,
		v1alpha2.SecretKeyS3Region:          drivertest.S3Region,
		v1alpha2.SecretKeyS3AddressingStyle: v1alpha2.S3AddressingStylePath,
		v1alpha2.SecretKeyS3AccessKeyID:     "key-of-" + accountID(access),
		v1alpha2.SecretKeyS3SecretAccessKey: drivertest.SecretKey(accountID(access)),
	}
}

// dataOf reads a Secret as an application does.
func (cl *testCluster) dataOf(secret *corev1.Secret) map[string]string {
	cl.Helper()
	cl.Must(cl.Refresh(secret))
	data := make(map[string]string, len(secret.Data))
	for key, value := range secret.Data {
		data[key] = string(value)
	}
	return data
}
