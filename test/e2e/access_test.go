package e2e_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

// KEP: COND-PROV-3, COND-ACCESS-1, STATUS-ACCESS-1
func TestAccessToOneBucket(t *testing.T) {
	cl := newTestCluster(t)
	class := cl.accessClass(func(class *v1alpha2.BucketAccessClass) {
		class.Spec.Parameters = map[string]string{"tier": "gold"}
	})
	claim, access := cl.claim("data"), cl.access("app", "data")
	cl.Make(cl.bucketClass(), class, claim, access)
	cl.WaitReady(claim, access)

	want := v1alpha2.BucketAccessStatus{
		ReadyToUse: true, AccountID: accountID(access), DriverName: cl.driver.Name(),
		AuthenticationType: v1alpha2.AuthenticationTypeKey, Parameters: class.Spec.Parameters,
		AccessedBuckets: []v1alpha2.AccessedBucket{{
			BucketName: claim.Status.BoundBucketName, BucketID: bucketID(claim), BucketClaimName: "data",
		}},
		Conditions: access.Status.Conditions,
	}
	if diff := cmp.Diff(want, access.Status); diff != "" {
		t.Errorf("status (-want +got):\n%s", diff)
	}
	cl.WaitCondition(access, v1alpha2.ConditionProvisioned, metav1.ConditionTrue, v1alpha2.ReasonProvisioned)
	cl.WaitCondition(access, v1alpha2.ConditionResourcesValidated, metav1.ConditionTrue, v1alpha2.ReasonValidated)
	cl.WaitCondition(access, v1alpha2.ConditionProvisionFailed, metav1.ConditionFalse, v1alpha2.ReasonDriverSucceeded)
	cl.expectSecret(access, 0, s3Data(access, bucketID(claim)))
}

// expectSecret looks at all that COSI puts into and onto the n-th Secret of an
// access.
func (cl *testCluster) expectSecret(access *v1alpha2.BucketAccess, n int, data map[string]string) {
	cl.Helper()
	secret := secretOf(access, n)
	if diff := cmp.Diff(data, cl.dataOf(secret)); diff != "" {
		cl.Errorf("data of Secret %s (-want +got):\n%s", secret.Name, diff)
	}
	yes := true
	want := metav1.ObjectMeta{
		Annotations: map[string]string{
			v1alpha2.BucketAccessReferenceAnnotation: cl.Namespace + "/" + access.Name,
			v1alpha2.BucketClaimReferenceAnnotation:  cl.Namespace + "/" + access.Spec.BucketClaims[n].BucketClaimName,
			v1alpha2.DriverNameAnnotation:            access.Status.DriverName,
		},
		Finalizers: []string{v1alpha2.ProtectionFinalizer},
		OwnerReferences: []metav1.OwnerReference{{
			APIVersion: v1alpha2.SchemeGroupVersion.String(), Kind: "BucketAccess", Name: access.Name, UID: access.UID,
			Controller: &yes, BlockOwnerDeletion: &yes,
		}},
	}
	got := metav1.ObjectMeta{
		Annotations: secret.Annotations, Finalizers: secret.Finalizers, OwnerReferences: secret.OwnerReferences, Labels: secret.Labels,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		cl.Errorf("metadata of Secret %s (-want +got):\n%s", secret.Name, diff)
	}
	if secret.Type != corev1.SecretTypeOpaque {
		cl.Errorf("type of Secret %s: %s", secret.Name, secret.Type)
	}
}

// TestAccessToManyBuckets: all Secrets have the same credentials, and each has a
// bucket of its own. The driver is asked once for all of them, with the modes of
// each.
// KEP: CHANGE-16, CHANGE-17, FLOW-GRANT-1, FLOW-GRANT-4.10.1, FLOW-GRANT-4.10.2, SECRET-4
// KEP: GRPC-GENERATEACCESSID-6
func TestAccessToManyBuckets(t *testing.T) {
	cl := newTestCluster(t)
	access := cl.access("app", "a", "b", "c")
	access.Spec.BucketClaims[1].AccessModes = v1alpha2.BucketAccessModes{ObjectData: v1alpha2.BucketAccessModeReadOnly}
	access.Spec.BucketClaims[2].AccessModes = v1alpha2.BucketAccessModes{
		ObjectMetadata: v1alpha2.BucketAccessModeWriteOnly, BucketMetadata: v1alpha2.BucketAccessModeReadOnly,
	}
	a, b, c := cl.claim("a"), cl.claim("b"), cl.claim("c")
	cl.Make(access, a, cl.bucketClass(), b, cl.accessClass(forSeveralBuckets), c)
	cl.WaitReady(access)
	for n, claim := range []*v1alpha2.BucketClaim{a, b, c} {
		cl.expectSecret(access, n, s3Data(access, bucketID(claim)))
		cl.WaitReady(claim)
		if _, held := claim.Annotations[v1alpha2.HasBucketAccessReferencesAnnotation]; !held {
			t.Errorf("claim %s has the annotations %v", claim.Name, claim.Annotations)
		}
	}
	modes := map[string][]cosiv1alpha2.AccessMode_Mode{}
	for _, call := range cl.driver.Calls("DriverGrantBucketAccess") {
		request, ok := call.Request.(*cosiv1alpha2.DriverGrantBucketAccessRequest)
		if !ok {
			t.Fatalf("a call with %T", call.Request)
		}
		for _, bucket := range request.GetBuckets() {
			modes[bucket.GetBucketId()] = append(modes[bucket.GetBucketId()],
				bucket.GetObjectDataAccessMode().GetMode(), bucket.GetObjectMetadataAccessMode().GetMode(),
				bucket.GetBucketMetadataAccessMode().GetMode())
		}
	}
	want := map[string][]cosiv1alpha2.AccessMode_Mode{
		bucketID(a): {cosiv1alpha2.AccessMode_READ_WRITE, cosiv1alpha2.AccessMode_ANY, cosiv1alpha2.AccessMode_ANY},
		bucketID(b): {cosiv1alpha2.AccessMode_READ_ONLY, cosiv1alpha2.AccessMode_ANY, cosiv1alpha2.AccessMode_ANY},
		bucketID(c): {cosiv1alpha2.AccessMode_ANY, cosiv1alpha2.AccessMode_WRITE_ONLY, cosiv1alpha2.AccessMode_READ_ONLY},
	}
	if diff := cmp.Diff(want, modes); diff != "" {
		t.Errorf("modes in all the calls (-want +got):\n%s", diff)
	}
}

// TestLaterAccesses checks that a claim gets new accesses while others use it and
// after others have gone. Each has an account of its own, which the end of another
// leaves alone.
// KEP: API-ACCESS-5
func TestLaterAccesses(t *testing.T) {
	cl := newTestCluster(t)
	claim, first, second, third := cl.claim("data"), cl.access("first", "data"), cl.access("second", "data"), cl.access("third", "data")
	cl.Make(cl.bucketClass(), cl.accessClass(), claim, first)
	cl.WaitReady(claim, first)
	cl.Make(second)
	cl.WaitReady(second)
	cl.Remove(first)
	cl.WaitGone(first, secretOf(first, 0))
	cl.expectSecret(second, 0, s3Data(second, bucketID(claim)))
	if diff := cmp.Diff([]string{accountID(second)}, cl.driver.Accounts()); diff != "" {
		t.Errorf("accounts (-want +got):\n%s", diff)
	}
	cl.Must(cl.Refresh(claim))
	if _, held := claim.Annotations[v1alpha2.HasBucketAccessReferencesAnnotation]; !held {
		t.Error("the claim has lost its annotation, although one access is left")
	}
	cl.Remove(second)
	cl.WaitGone(second)
	cl.Eventually(func() error { return cl.expectUnheld(claim) })
	cl.Make(third)
	cl.WaitReady(third)
	cl.expectSecret(third, 0, s3Data(third, bucketID(claim)))
}

// TestServiceAccount: the driver is told who the application runs as, and with
// keys it is not.
// KEP: API-ACCESS-SPEC-8, GRPC-GRANT-6
func TestServiceAccount(t *testing.T) {
	cl := newTestCluster(t)
	byAccount := cl.accessClass(func(class *v1alpha2.BucketAccessClass) {
		class.Name += "-by-account"
		class.Spec.AuthenticationType = v1alpha2.AuthenticationTypeServiceAccount
	})
	claim, byKeyAccess, byAccountAccess := cl.claim("data"), cl.access("by-key", "data"), cl.access("by-account", "data")
	byKeyAccess.Spec.ServiceAccountName = "worker"
	byAccountAccess.Spec.ServiceAccountName = "worker"
	byAccountAccess.Spec.BucketAccessClassName = byAccount.Name
	cl.Make(cl.bucketClass(), cl.accessClass(), byAccount, claim, byKeyAccess, byAccountAccess)
	cl.WaitReady(claim, byKeyAccess, byAccountAccess)

	withKeys := s3Data(byKeyAccess, bucketID(claim))
	without := s3Data(byAccountAccess, bucketID(claim))
	delete(without, v1alpha2.SecretKeyS3AccessKeyID)
	delete(without, v1alpha2.SecretKeyS3SecretAccessKey)
	cl.expectSecret(byKeyAccess, 0, withKeys)
	cl.expectSecret(byAccountAccess, 0, without)
	cl.Remove(byKeyAccess, byAccountAccess)
	cl.WaitGone(byKeyAccess, byAccountAccess)

	type identity struct {
		Type cosiv1alpha2.AuthenticationType_Type
		Name string
	}
	for _, call := range cl.driver.Calls("DriverGenerateBucketAccessId", "DriverGrantBucketAccess", "DriverRevokeBucketAccess") {
		want := identity{Type: cosiv1alpha2.AuthenticationType_KEY}
		if slices.ContainsFunc(subjects(call.Request), func(id string) bool { return strings.HasSuffix(id, string(byAccountAccess.UID)) }) {
			want = identity{Type: cosiv1alpha2.AuthenticationType_SERVICE_ACCOUNT, Name: "worker"}
		}
		request, ok := call.Request.(interface {
			GetAuthenticationType() *cosiv1alpha2.AuthenticationType
			GetServiceAccountName() string
		})
		if !ok {
			t.Fatalf("a call with %T", call.Request)
		}
		if diff := cmp.Diff(want, identity{request.GetAuthenticationType().GetType(), request.GetServiceAccountName()}); diff != "" {
			t.Errorf("%s (-want +got):\n%s", call.Method, diff)
		}
	}
}
