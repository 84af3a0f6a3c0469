package sidecar_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/condition"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
	"github.com/cosi-emu/cosi-emu/test/cluster"
	"github.com/cosi-emu/cosi-emu/test/drivertest"
)

// E34 is in here as well: COSI_PROTOCOL is written.
// KEP: CHANGE-7, CHANGE-10, CHANGE-12, FLOW-GRANT-4.1, FLOW-GRANT-4.6
// KEP: FLOW-GRANT-4.7, FLOW-GRANT-4.8, FLOW-GRANT-4.10.1, FLOW-GRANT-4.10.3, ANNO-5, ANNO-6
// KEP: API-ACCESS-MODE-4, API-ACCESS-STATUS-2, GRPC-GENERATEACCESSID-1, GRPC-GENERATEACCESSID-9
// KEP: GRPC-GRANT-1, GRPC-GRANT-5, STATUS-ACCESS-1
func TestE34AccessIsGrantedInTwoPhases(t *testing.T) {
	cl := newTestCluster(t)
	cl.start()
	bucket := cl.readyBucket()
	cl.settle()
	cl.Requests.Reset()
	cl.driver.Script("DriverGrantBucketAccess", func(ctx context.Context, m proto.Message, next drivertest.Next) (proto.Message, error) {
		request, _ := m.(*cosiv1alpha2.DriverGrantBucketAccessRequest)
		cl.assertPersisted(ctx, request.GetAccountId())
		return next()
	})
	access := cl.readyAccess(bucket)
	cl.settle()

	account := "id-ba-" + string(access.UID)
	if access.Status.AccountID != account {
		t.Errorf("status.accountID = %q, want %q", access.Status.AccountID, account)
	}
	secret, err := cl.secret(access, 0)
	cl.Must(err)
	want := map[string]string{
		"COSI_PROTOCOL":           "S3",
		"BUCKET_NAME":             bucket.Status.BucketID,
		"AWS_ENDPOINT_URL":        drivertest.S3Endpoint,
		"AWS_DEFAULT_REGION":      drivertest.S3Region,
		"AWS_S3_ADDRESSING_STYLE": "path",
		"AWS_ACCESS_KEY_ID":       "key-of-" + account,
		"AWS_SECRET_ACCESS_KEY":   drivertest.SecretKey(account),
	}
	if diff := cmp.Diff(want, text(secret.Data)); diff != "" {
		t.Errorf("Secret (-want +got):\n%s", diff)
	}
	wantAnnotations := map[string]string{
		v1alpha2.BucketAccessReferenceAnnotation: cl.Namespace + "/" + access.Name,
		v1alpha2.BucketClaimReferenceAnnotation:  cl.Namespace + "/" + bucket.Spec.BucketClaimRef.Name,
		v1alpha2.DriverNameAnnotation:            cl.driver.Name(),
	}
	if diff := cmp.Diff(wantAnnotations, secret.Annotations); diff != "" {
		t.Errorf("annotations (-want +got):\n%s", diff)
	}
	if !metav1.IsControlledBy(secret, access) || len(secret.Finalizers) != 1 || secret.Type != corev1.SecretTypeOpaque {
		t.Errorf("Secret: owners %v, finalizers %v, type %s", secret.OwnerReferences, secret.Finalizers, secret.Type)
	}
	wantWrites := []string{
		"POST /api/v1/namespaces/" + cl.Namespace + "/secrets", // empty
		"PATCH " + path(access) + "/status",                    // ID
		"PUT " + path(secret),                                  // data
		"PATCH " + path(access) + "/status",                    // result
	}
	if diff := cmp.Diff(wantWrites, lines(cl.Requests.Writes())); diff != "" {
		t.Errorf("writes (-want +got):\n%s", diff)
	}
	wantCalls := []proto.Message{
		&cosiv1alpha2.DriverGenerateBucketAccessIdRequest{
			AccountName:        "ba-" + string(access.UID),
			Protocol:           &cosiv1alpha2.ObjectProtocol{Type: cosiv1alpha2.ObjectProtocol_S3},
			AuthenticationType: &cosiv1alpha2.AuthenticationType{Type: cosiv1alpha2.AuthenticationType_KEY},
			Parameters:         map[string]string{"role": "app"},
			Buckets:            requested(bucket.Status.BucketID),
		},
		&cosiv1alpha2.DriverGrantBucketAccessRequest{
			AccountId:          account,
			Protocol:           &cosiv1alpha2.ObjectProtocol{Type: cosiv1alpha2.ObjectProtocol_S3},
			AuthenticationType: &cosiv1alpha2.AuthenticationType{Type: cosiv1alpha2.AuthenticationType_KEY},
			Parameters:         map[string]string{"role": "app"},
			Buckets:            requested(bucket.Status.BucketID),
		},
	}
	var calls []proto.Message
	for _, call := range cl.driver.Calls("DriverGenerateBucketAccessId", "DriverGrantBucketAccess") {
		calls = append(calls, call.Request)
	}
	if diff := cmp.Diff(wantCalls, calls, protocmp.Transform()); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
}

// KEP: ARCH-3, FLOW-REVOKE-0, FLOW-REVOKE-3.1, FLOW-REVOKE-3.2, FLOW-REVOKE-3.3, FLOW-REVOKE-3.5.1
// KEP: ANNO-4, API-ACCESS-SPEC-4
func TestAccessIsRevoked(t *testing.T) {
	cl := newTestCluster(t)
	cl.start()
	access := cl.readyAccess(cl.readyBucket())
	granted := access.DeepCopy()
	cl.driver.Script("DriverRevokeBucketAccess", func(ctx context.Context, _ proto.Message, next drivertest.Next) (proto.Message, error) {
		name := granted.Spec.BucketClaims[0].AccessSecretName
		if err := cl.Get(ctx, client.ObjectKey{Namespace: cl.Namespace, Name: name}, &corev1.Secret{}); !apierrors.IsNotFound(err) {
			t.Errorf("revoked while Secret %s is still there (%v)", name, err)
		}
		return next()
	})
	cl.Must(cl.Delete(t.Context(), access))
	cl.isHandedBack(access)
	if got := cl.driver.Accounts(); len(got) > 0 {
		t.Errorf("left in the backend: %v", got)
	}
	if access.Status.ReadyToUse {
		t.Error("still ready")
	}
	cl.settle()
	if calls := cl.driver.Calls("DriverRevokeBucketAccess"); len(calls) != 1 {
		t.Errorf("%d calls to revoke", len(calls))
	}
}

// The Secrets go first, also when another finalizer holds one: the access is revoked
// when it is gone, and not before.
// KEP: FLOW-REVOKE-3.2, REASON-28
func TestAccessWaitsForItsSecretToGo(t *testing.T) {
	cl := newTestCluster(t)
	cl.start()
	access := cl.readyAccess(cl.readyBucket())
	secret, err := cl.secret(access, 0)
	cl.Must(err)
	cl.Modify(secret, func() { secret.Finalizers = append(secret.Finalizers, "example.com/hold") })
	cl.settle()
	cl.Must(cl.Delete(t.Context(), access))
	cl.WaitCondition(access, v1alpha2.ConditionResourcesValidated, metav1.ConditionTrue, v1alpha2.ReasonDeletionBlocked)
	cl.Eventually(func() error { return cl.toldOnce(access, v1alpha2.ReasonDeletionBlocked) })
	cl.settle()
	if calls := cl.driver.Calls("DriverRevokeBucketAccess"); len(calls) > 0 {
		t.Errorf("revoked while the Secret is there: %v", calls)
	}
	cl.Modify(secret, func() { secret.Finalizers = nil })
	cl.isHandedBack(access)
}

// E73: a grant can still be revoked after the Bucket is gone, by any means.
// KEP: COND-PROV-6, COND-VALID-6, REASON-16
func TestE73AccessIsRevokedWithoutItsBucket(t *testing.T) {
	cl := newTestCluster(t)
	cl.start()
	bucket := cl.readyBucket()
	access := cl.readyAccess(bucket)
	cl.releaseClaim(bucket)
	cl.Must(cl.Delete(t.Context(), bucket))
	cl.WaitGone(bucket)
	cl.WaitCondition(access, v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse, v1alpha2.ReasonBucketLost)
	cl.WaitCondition(access, v1alpha2.ConditionProvisioned, metav1.ConditionTrue, v1alpha2.ReasonProvisioned)

	cl.Must(cl.Delete(t.Context(), access))
	cl.isHandedBack(access)
	if got := cl.driver.Accounts(); len(got) > 0 {
		t.Errorf("left in the backend: %v", got)
	}
}

// KEP: FLOW-GRANT-3.6.1, REASON-9
func TestAccessWaitsForItsBucket(t *testing.T) {
	cl := newTestCluster(t)
	cl.driver.Fail("DriverCreateBucket", 14, "the backend is away")
	cl.start()
	bucket := cl.bucket()
	cl.WaitCondition(bucket, v1alpha2.ConditionProvisionFailed, metav1.ConditionTrue, v1alpha2.ReasonDriverError)
	access := cl.access([]*v1alpha2.Bucket{bucket})
	cl.WaitCondition(access, v1alpha2.ConditionResourcesValidated, metav1.ConditionUnknown, v1alpha2.ReasonWaitingForBucket)
	cl.driver.Script("DriverCreateBucket", nil)
	cl.WaitReady(access)
}

// KEP: SECRET-4
func TestAccessToSeveralBuckets(t *testing.T) {
	cl := newTestCluster(t)
	cl.start()
	access := cl.readyAccess(cl.readyBucket(), cl.readyBucket(), cl.readyBucket())
	names := map[string]bool{}
	for i := range access.Spec.BucketClaims {
		secret, err := cl.secret(access, i)
		cl.Must(err)
		names[string(secret.Data["BUCKET_NAME"])] = true
		if got := string(secret.Data["AWS_SECRET_ACCESS_KEY"]); got != drivertest.SecretKey(access.Status.AccountID) {
			t.Errorf("Secret %d has not the credentials of the access", i)
		}
	}
	if len(names) != 3 {
		t.Errorf("the Secrets name %d buckets, want 3", len(names))
	}
}

// assertPersisted complains unless an access has the account ID in its status.
func (cl *testCluster) assertPersisted(ctx context.Context, account string) {
	list := &v1alpha2.BucketAccessList{}
	if err := cl.List(ctx, list, client.InNamespace(cl.Namespace)); err != nil {
		cl.Error(err)
	}
	for _, access := range list.Items {
		if access.Status.AccountID == account {
			return
		}
	}
	cl.Errorf("DriverGrantBucketAccess for %q, which is not persisted", account)
}

// isHandedBack waits until the sidecar has done its part of a deletion, and then
// does the controller's.
func (cl *testCluster) isHandedBack(access *v1alpha2.BucketAccess) {
	cl.Helper()
	cl.Eventually(func() error {
		if err := cl.Refresh(access); err != nil {
			return err
		}
		if _, ok := access.Annotations[v1alpha2.SidecarCleanupFinishedAnnotation]; !ok {
			return fmt.Errorf("not cleaned up: %v", cluster.Lines(access.Status.Conditions))
		}
		return nil
	})
	cl.Must(cl.Patch(cl.Context(), access, client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`))))
}

func requested(bucket string) []*cosiv1alpha2.DriverGrantBucketAccessRequest_AccessedBucket {
	return []*cosiv1alpha2.DriverGrantBucketAccessRequest_AccessedBucket{{
		BucketId:                 bucket,
		ObjectDataAccessMode:     &cosiv1alpha2.AccessMode{Mode: cosiv1alpha2.AccessMode_READ_WRITE},
		ObjectMetadataAccessMode: &cosiv1alpha2.AccessMode{Mode: cosiv1alpha2.AccessMode_ANY},
		BucketMetadataAccessMode: &cosiv1alpha2.AccessMode{Mode: cosiv1alpha2.AccessMode_ANY},
	}}
}

func text(data map[string][]byte) map[string]string {
	strings := make(map[string]string, len(data))
	for key, value := range data {
		strings[key] = string(value)
	}
	return strings
}

// TestMissingClaim: the controller has reported that the claim of an access is missing, and has announced it to the Bucket. The
// sidecar rejects the access, and leaves the controller's condition, which the controller would write again.
func TestMissingClaim(t *testing.T) {
	cl := newTestCluster(t)
	cl.start()
	bucket := cl.readyBucket()
	cl.releaseClaim(bucket)
	access := cl.access([]*v1alpha2.Bucket{bucket}, func(a *v1alpha2.BucketAccess) {
		condition.For(&a.Status.Conditions, 1).Set(
			v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse, v1alpha2.ReasonBucketClaimNotFound, "it does not exist")
	})
	cl.WaitCondition(access, v1alpha2.ConditionProvisioned, metav1.ConditionFalse, v1alpha2.ReasonBucketClaimDeleting)
	cl.WaitCondition(access, v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse, v1alpha2.ReasonBucketClaimNotFound)
	if calls := cl.driver.Calls("DriverGenerateBucketAccessId"); len(calls) > 0 {
		t.Errorf("calls for a claim that does not exist: %v", calls)
	}
}
