package v1alpha1_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	cosiv1alpha1 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha1"
	"github.com/cosi-emu/cosi-emu/test/drivertest"
)

// Both finalizers come before the call, the account before the Secret, and the Secret
// before accessGranted. Then the sidecar is silent, also after a restart.
func TestAccessIsGranted(t *testing.T) {
	cl := newTestCluster(t)
	stop := cl.start()
	bucket := cl.readyBucket()
	cl.checkFinalizersAtGrant(bucket)
	cl.settle()
	cl.Requests.Reset()
	access := cl.readyAccess(bucket)
	cl.settle()
	stop()
	cl.start()
	cl.settle()

	account := drivertest.V1alpha1AccountID(v1alpha1.AccountNameForAccess(access.UID))
	info, err := cl.info(access)
	cl.Must(err)
	want := &v1alpha1.BucketInfo{
		Metadata: v1alpha1.BucketInfoMetadata{Name: "bc-" + string(access.UID)},
		Spec: v1alpha1.BucketInfoSpec{
			BucketName: bucket.Name, AuthenticationType: v1alpha1.AuthenticationTypeKey, Protocols: []v1alpha1.Protocol{v1alpha1.ProtocolS3},
			SecretS3: &v1alpha1.SecretS3{
				Endpoint: drivertest.S3Endpoint, Region: drivertest.S3Region,
				AccessKeyID: "key-of-" + account, AccessSecretKey: drivertest.SecretKey(account),
			},
		},
	}
	if diff := cmp.Diff(want, info); diff != "" {
		t.Errorf("BucketInfo (-want +got):\n%s", diff)
	}
	secret, err := cl.secretOf(access)
	cl.Must(err)
	if !metav1.IsControlledBy(secret, access) || !controllerutil.ContainsFinalizer(secret, v1alpha1.SecretFinalizer) ||
		secret.Type != corev1.SecretTypeOpaque || len(secret.Data) != 1 {
		t.Errorf("Secret: owners %v, finalizers %v, type %s, %d keys", secret.OwnerReferences, secret.Finalizers, secret.Type, len(secret.Data))
	}
	namespace := "namespaces/" + cl.Namespace + "/"
	wantWrites := []string{
		"PATCH " + namespace + "bucketaccesses/X", "PATCH buckets/X", "PATCH " + namespace + "bucketaccesses/X/status",
		"POST " + namespace + "secrets", "PATCH " + namespace + "bucketaccesses/X/status",
	}
	if diff := cmp.Diff(wantWrites, cl.writesFor(access, bucket)); diff != "" {
		t.Errorf("writes (-want +got):\n%s", diff)
	}
	calls := cl.driver.Calls(grantAccess)
	if len(calls) != 1 {
		t.Fatalf("calls: %v", calls)
	}
	wantRequest := &cosiv1alpha1.DriverGrantBucketAccessRequest{
		BucketId: bucket.Status.BucketID, Name: "ba-" + string(access.UID),
		AuthenticationType: cosiv1alpha1.AuthenticationType_Key, Parameters: map[string]string{"role": "app"},
	}
	if diff := cmp.Diff(wantRequest, calls[0].Request, protocmp.Transform()); diff != "" {
		t.Errorf("request (-want +got):\n%s", diff)
	}
}

// checkFinalizersAtGrant has the driver check, in each grant, that the finalizers of the Bucket and
// of the access are saved.
func (cl *testCluster) checkFinalizersAtGrant(bucket *v1alpha1.Bucket) {
	cl.driver.Script(grantAccess, func(ctx context.Context, _ proto.Message, next drivertest.Next) (proto.Message, error) {
		stored, accesses := &v1alpha1.Bucket{}, &v1alpha1.BucketAccessList{}
		err := errors.Join(cl.Get(ctx, client.ObjectKeyFromObject(bucket), stored), cl.List(ctx, accesses, client.InNamespace(cl.Namespace)))
		if err != nil {
			return nil, err
		}
		if !controllerutil.ContainsFinalizer(stored, v1alpha1.BucketAccessBucketFinalizer) ||
			!controllerutil.ContainsFinalizer(&accesses.Items[0], v1alpha1.BucketAccessFinalizer) {
			cl.Errorf("Grant before the finalizers: Bucket %v, access %v", stored.Finalizers, accesses.Items[0].Finalizers)
		}
		return next()
	})
}

// writesFor returns the writes of the sidecar in order, with X for the names of the objects.
func (cl *testCluster) writesFor(access *v1alpha1.BucketAccess, bucket *v1alpha1.Bucket) []string {
	var writes []string
	shorten := strings.NewReplacer(access.Name, "X", bucket.Name, "X", "/apis/objectstorage.k8s.io/v1alpha1/", "", "/api/v1/", "")
	for _, request := range cl.Requests.Writes() {
		writes = append(writes, request.Method+" "+shorten.Replace(request.Path))
	}
	return writes
}

// An access waits for its class, its claim and its Bucket, whatever comes last, without
// polling.
// Known failure: E57, E61
func TestAccessWaits(t *testing.T) {
	cl := newTestCluster(t)
	cl.start()
	class := cl.class()
	early := cl.access(&v1alpha1.Bucket{Spec: v1alpha1.BucketSpec{BucketClaim: &corev1.ObjectReference{Name: "late"}}}, class.Name)
	cl.waitEvent(early, "Normal BucketClaimNotFound", `"late"`)
	bucket := cl.bucket()
	access, classless := cl.access(bucket, class.Name), cl.access(bucket, "late-"+class.Name)
	cl.waitEvent(access, "Normal WaitingForBucket")
	cl.waitBucket(bucket)
	cl.hasNoCalls(grantAccess)
	cl.bind(bucket)
	cl.waitGranted(access)
	cl.waitEvent(classless, "Normal BucketAccessClassNotFound")
	cl.class(func(c *v1alpha1.BucketAccessClass) { c.Name = "late-" + class.Name })
	cl.waitGranted(classless)
}

// Nothing is granted while claim or Bucket is being deleted, although the watches do not
// tell it.
func TestNoAccessToWhatIsDeleted(t *testing.T) {
	cl := newTestCluster(t)
	cl.start()
	class, bucket, other := cl.class(), cl.readyBucket(), cl.readyBucket()
	claim := cl.claimOf(bucket)
	cl.Modify(claim, func() { controllerutil.AddFinalizer(claim, v1alpha1.BucketClaimFinalizer) })
	cl.Cleanup(func() { cl.ForceRemove(claim) })
	cl.waitGranted(cl.access(bucket, class.Name))
	cl.waitGranted(cl.access(other, class.Name))
	for _, resource := range []string{"buckets", "bucketclaims"} {
		cl.Cleanup(cl.Requests.Freeze(resource))
	}
	cl.Must(cl.Delete(t.Context(), claim))
	cl.waitEvent(cl.access(bucket, class.Name), "is being deleted")
	cl.Modify(other, func() { controllerutil.AddFinalizer(other, "example.com/hold") })
	cl.Must(cl.Delete(t.Context(), other))
	cl.waitEvent(cl.access(other, class.Name), "is being deleted")
	cl.settle()
	if calls := cl.driver.Calls(grantAccess); len(calls) != 2 {
		t.Errorf("the driver was called %d times, want once for each access from before: %v", len(calls), calls)
	}
}

// What cannot be granted is reported before the driver is called.
// Known failure: E12, E53, E75
func TestInvalidAccess(t *testing.T) {
	for name, tc := range map[string]struct {
		strict bool
		class  func(*v1alpha1.BucketAccessClass)
		access func(*v1alpha1.BucketAccess)
		event  string
	}{
		"GCP": {
			strict: true,
			access: func(a *v1alpha1.BucketAccess) { a.Spec.Protocol = v1alpha1.ProtocolGCP },
			event:  `ProtocolNotSupported: spec.protocol is "GCP"`,
		},
		"IAM without name": {class: byIAM, event: "serviceAccountName is required"},
		"authenticationType": {
			strict: true,
			class:  func(c *v1alpha1.BucketAccessClass) { c.AuthenticationType = "Magic" }, event: "must be Key or IAM",
		},
		"no Secret": {
			access: func(a *v1alpha1.BucketAccess) { a.Spec.CredentialsSecretName = "" },
			event:  "credentialsSecretName is empty",
		},
	} {
		t.Run(name, func(t *testing.T) {
			cl := newTestCluster(t)
			cl.options.Strict = tc.strict
			cl.start()
			nothing := func(*v1alpha1.BucketAccess) {}
			if tc.access == nil {
				tc.access = nothing
			}
			if tc.class == nil {
				tc.class = func(*v1alpha1.BucketAccessClass) {}
			}
			access := cl.access(cl.readyBucket(), cl.class(tc.class).Name, tc.access)
			cl.waitEvent(access, "Warning FailedGrantAccess", tc.event)
			cl.hasNoCalls(grantAccess)
			cl.remove(access)
			cl.hasNoCalls(grantAccess, revokeAccess)
		})
	}
	t.Run("another driver's Bucket", func(t *testing.T) {
		cl := newTestCluster(t)
		cl.start()
		bucket := cl.bucket(func(b *v1alpha1.Bucket) { b.Spec.DriverName = "other.test" })
		cl.ModifyStatus(bucket, func() { bucket.Status = v1alpha1.BucketStatus{BucketReady: true, BucketID: "theirs"} })
		cl.bind(bucket)
		cl.waitEvent(cl.access(bucket, cl.class().Name), "Warning FailedGrantAccess", "DriverMismatch")
		foreign := cl.access(bucket, cl.class(func(c *v1alpha1.BucketAccessClass) { c.DriverName = "other.test" }).Name,
			func(a *v1alpha1.BucketAccess) { a.Finalizers = []string{v1alpha1.BucketAccessFinalizer} })
		cl.settle()
		cl.Must(cl.Delete(t.Context(), foreign))
		cl.hasNoCalls(grantAccess, revokeAccess)
		cl.Must(cl.Refresh(foreign))
		if notes := cl.notes(foreign); len(notes) > 0 {
			t.Errorf("Events about another driver's access: %q", notes)
		}
	})
}

// Credentials that applications cannot use are reported, and no Secret is written.
func TestUnusableCredentials(t *testing.T) {
	for name, tc := range map[string]struct {
		protocol    v1alpha1.Protocol
		credentials map[string]*cosiv1alpha1.CredentialDetails
		account     string
		event       string
	}{
		"no account": {account: "none", event: "it has no account ID"},
		"other keys": {
			credentials: secrets("s3", map[string]string{"accessKey": "secretword", "endpoint": "e"}),
			event:       `no accessKeyID, accessSecretKey of the credentials "s3", which applications need; it returned [s3.accessKey s3.endpoint]`,
		},
		"other protocol": {credentials: secrets("gcs", map[string]string{"key": "secretword"}), event: "it returned [gcs.key]"},
		"bad time": {
			protocol:    v1alpha1.ProtocolAzure,
			credentials: secrets("azure", map[string]string{"accessToken": "secretword", "expiryTs": "tomorrow"}), event: "expiryTs",
		},
	} {
		t.Run(name, func(t *testing.T) {
			cl := newTestCluster(t)
			cl.start()
			bucket := cl.readyBucket()
			answer := &cosiv1alpha1.DriverGrantBucketAccessResponse{AccountId: "a", Credentials: tc.credentials}
			if tc.account != "" {
				answer.AccountId = ""
			}
			cl.driver.Answer(grantAccess, answer)
			access := cl.access(bucket, cl.class().Name, func(a *v1alpha1.BucketAccess) {
				if tc.protocol != "" {
					a.Spec.Protocol = tc.protocol
				}
			})
			if note := cl.waitEvent(access, "Warning FailedGrantAccess", tc.event); strings.Contains(note, "secretword") {
				t.Errorf("the Event has a secret: %s", note)
			}
			cl.settle()
			if _, err := cl.secretOf(access); !apierrors.IsNotFound(err) {
				t.Errorf("a Secret was written (%v)", err)
			}
			cl.Must(cl.Refresh(access))
			if access.Status.AccessGranted {
				t.Error("it is granted")
			}
			cl.driver.Script(grantAccess, nil)
			cl.remove(access)
		})
	}
}

func secrets(protocol string, values map[string]string) map[string]*cosiv1alpha1.CredentialDetails {
	return map[string]*cosiv1alpha1.CredentialDetails{protocol: {Secrets: values}}
}

func TestIAMNeedsNoCredentials(t *testing.T) {
	cl := newTestCluster(t)
	cl.start()
	access := cl.access(cl.readyBucket(), cl.class(byIAM).Name, func(a *v1alpha1.BucketAccess) { a.Spec.ServiceAccountName = "app" })
	cl.waitGranted(access)
	info, err := cl.info(access)
	cl.Must(err)
	if info.Spec.SecretS3 != nil || info.Spec.AuthenticationType != v1alpha1.AuthenticationTypeIAM {
		t.Errorf("BucketInfo: %+v", info.Spec)
	}
	if got := cl.driver.Calls(grantAccess)[0].Request.(*cosiv1alpha1.DriverGrantBucketAccessRequest); //nolint:forcetypeassert // by its method
	got.GetAuthenticationType() != cosiv1alpha1.AuthenticationType_IAM {
		t.Errorf("request %v", got)
	}
}

// A Secret of another owner is never touched, and there is no Grant whose credentials
// could be written nowhere. When the name becomes free, the access is granted.
// Known failure: E11, E74
func TestForeignSecretStays(t *testing.T) {
	cl := newTestCluster(t)
	cl.start()
	foreign := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: cl.Namespace, Name: "foreign"}, StringData: map[string]string{"BucketInfo": "mine"},
	}
	cl.Must(cl.Create(t.Context(), foreign))
	access := cl.access(cl.readyBucket(), cl.class().Name, func(a *v1alpha1.BucketAccess) { a.Spec.CredentialsSecretName = foreign.Name })
	cl.waitEvent(access, "Warning FailedGrantAccess", "SecretConflict")
	cl.hasNoCalls(grantAccess)
	version := foreign.ResourceVersion
	cl.Must(cl.Refresh(foreign))
	if foreign.ResourceVersion != version {
		t.Error("the Secret was written")
	}
	cl.Must(cl.Delete(t.Context(), foreign))
	cl.waitGranted(access)
}

// The Secret is restored from the driver's latest answer when it is edited, emptied or
// deleted, or has lost what protects it.
// Known failure: E36, E74
func TestSecretIsRestored(t *testing.T) {
	for name, damage := range map[string]func(*testCluster, *corev1.Secret){
		"edited":    func(cl *testCluster, s *corev1.Secret) { cl.Modify(s, func() { s.Data["BucketInfo"] = []byte("{}") }) },
		"no JSON":   func(cl *testCluster, s *corev1.Secret) { cl.Modify(s, func() { s.Data["BucketInfo"] = []byte("{") }) },
		"emptied":   func(cl *testCluster, s *corev1.Secret) { cl.Modify(s, func() { s.Data = nil }) },
		"extended":  func(cl *testCluster, s *corev1.Secret) { cl.Modify(s, func() { s.Data["more"] = []byte("x") }) },
		"finalizer": func(cl *testCluster, s *corev1.Secret) { cl.Modify(s, func() { s.Finalizers = nil }) },
		"deleted":   func(cl *testCluster, s *corev1.Secret) { cl.Must(cl.Delete(cl.Context(), s)) },
	} {
		for _, running := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s while running %t", name, running), func(t *testing.T) {
				cl := newTestCluster(t)
				stop := cl.start()
				access := cl.readyAccess(cl.readyBucket())
				before, err := cl.secretOf(access)
				cl.Must(err)
				rotated := drivertest.V1alpha1Credentials("rotated")
				cl.driver.Answer(grantAccess, &cosiv1alpha1.DriverGrantBucketAccessResponse{AccountId: access.Status.AccountID, Credentials: rotated})
				if !running {
					stop()
				}
				damage(cl, before.DeepCopy())
				if !running {
					cl.start()
				}
				cl.Eventually(func() error {
					secret, err := cl.secretOf(access)
					if err != nil {
						return err
					}
					info, err := v1alpha1.ParseBucketInfo(secret.Data[v1alpha1.BucketInfoKey])
					if err != nil || info.Spec.SecretS3 == nil || info.Spec.SecretS3.AccessKeyID != "key-of-rotated" ||
						len(secret.Data) != 1 || !controllerutil.ContainsFinalizer(secret, v1alpha1.SecretFinalizer) {
						return fmt.Errorf("Secret with keys %d, finalizers %v (%w)", len(secret.Data), secret.Finalizers, err)
					}
					return nil
				})
				cl.settle()
				if n := len(cl.driver.Calls(grantAccess)); n != 2 {
					t.Errorf("%d calls, want 2", n)
				}
			})
		}
	}
}

// An immutable Secret cannot be restored: the driver is not asked for credentials that
// could be written nowhere.
func TestImmutableSecretIsReported(t *testing.T) {
	cl := newTestCluster(t)
	stop := cl.start()
	access := cl.readyAccess(cl.readyBucket())
	stop()
	secret, err := cl.secretOf(access)
	cl.Must(err)
	cl.Modify(secret, func() { secret.Data["more"], secret.Immutable = []byte("x"), new(true) })
	cl.start()
	cl.waitEvent(access, "SecretWriteFailed", "is immutable")
	cl.settle()
	if n := len(cl.driver.Calls(grantAccess)); n != 1 {
		t.Errorf("%d calls, want 1", n)
	}
	cl.remove(access)
	cl.isRevoked(access)
}

func (cl *testCluster) isRevoked(access *v1alpha1.BucketAccess) {
	cl.Helper()
	if left := cl.driver.Accounts(); len(left) > 0 {
		cl.Errorf("accounts left: %v", left)
	}
	if _, err := cl.secretOf(access); !apierrors.IsNotFound(err) {
		cl.Errorf("the Secret is left (%v)", err)
	}
}

// The Secret goes before the revocation, and the finalizers after it. The Bucket is kept as
// long as another access to it exists.
func TestAccessIsRevoked(t *testing.T) {
	cl := newTestCluster(t)
	cl.start()
	bucket := cl.readyBucket()
	first, second := cl.readyAccess(bucket), cl.readyAccess(bucket)
	granted := []*v1alpha1.BucketAccess{first.DeepCopy(), second.DeepCopy()}
	cl.driver.Script(revokeAccess, func(_ context.Context, m proto.Message, next drivertest.Next) (proto.Message, error) {
		request, _ := m.(*cosiv1alpha1.DriverRevokeBucketAccessRequest)
		for _, access := range granted {
			if _, err := cl.secretOf(access); request.GetAccountId() == access.Status.AccountID && !apierrors.IsNotFound(err) {
				t.Errorf("Revoke while the Secret exists (%v)", err)
			}
		}
		return next()
	})
	cl.Must(cl.Delete(t.Context(), bucket))
	cl.remove(first)
	cl.settle()
	cl.Must(cl.Refresh(bucket))
	cl.remove(second)
	cl.Eventually(func() error { return cl.isGone(bucket) })
	cl.isEmpty()
	want := &cosiv1alpha1.DriverRevokeBucketAccessRequest{
		BucketId: bucket.Status.BucketID, AccountId: first.Status.AccountID,
	}
	if diff := cmp.Diff(want, cl.driver.Calls(revokeAccess)[0].Request, protocmp.Transform()); diff != "" {
		t.Errorf("request (-want +got):\n%s", diff)
	}
}

// No code ends a revocation except NotFound, which is success.
func TestRevokeIsRetried(t *testing.T) {
	cl := newTestCluster(t)
	cl.start()
	bucket := cl.readyBucket()
	for _, code := range []codes.Code{codes.InvalidArgument, codes.Unimplemented, codes.Internal} {
		access := cl.readyAccess(bucket)
		cl.driver.Fail(revokeAccess, code, "busy")
		cl.Must(cl.Delete(t.Context(), access))
		cl.waitEvent(access, "Warning FailedRevokeAccess", "busy")
		cl.driver.Script(revokeAccess, nil)
		cl.Eventually(func() error { return cl.isGone(access) })
	}
	access := cl.readyAccess(bucket)
	cl.driver.Fail(revokeAccess, codes.NotFound, "gone")
	cl.remove(access)
}

// Whatever is gone already, an access can be deleted, and is revoked by its driver.
// Known failure: E56, E73
func TestAccessOutlivesOthers(t *testing.T) {
	for name, loss := range map[string]func(*testCluster, *v1alpha1.BucketAccess, *v1alpha1.Bucket){
		"class": func(cl *testCluster, a *v1alpha1.BucketAccess, _ *v1alpha1.Bucket) {
			cl.remove(&v1alpha1.BucketAccessClass{ObjectMeta: metav1.ObjectMeta{Name: a.Spec.BucketAccessClassName}})
		},
		"claim":  func(cl *testCluster, _ *v1alpha1.BucketAccess, b *v1alpha1.Bucket) { cl.remove(cl.claimOf(b)) },
		"Bucket": func(cl *testCluster, _ *v1alpha1.BucketAccess, b *v1alpha1.Bucket) { cl.ForceRemove(b) },
		"everything": func(cl *testCluster, a *v1alpha1.BucketAccess, b *v1alpha1.Bucket) {
			cl.remove(&v1alpha1.BucketAccessClass{ObjectMeta: metav1.ObjectMeta{Name: a.Spec.BucketAccessClassName}}, cl.claimOf(b))
			cl.ForceRemove(b)
		},
		"Secret": func(cl *testCluster, a *v1alpha1.BucketAccess, _ *v1alpha1.Bucket) {
			secret, err := cl.secretOf(a)
			cl.Must(err)
			cl.ForceRemove(secret)
		},
		"record": func(cl *testCluster, a *v1alpha1.BucketAccess, _ *v1alpha1.Bucket) {
			cl.Modify(a, func() { delete(a.Annotations, v1alpha1.GrantAnnotation) })
		},
		"record and claim": func(cl *testCluster, a *v1alpha1.BucketAccess, b *v1alpha1.Bucket) {
			cl.Modify(a, func() { delete(a.Annotations, v1alpha1.GrantAnnotation) })
			cl.remove(cl.claimOf(b))
		},
	} {
		t.Run(name, func(t *testing.T) {
			cl := newTestCluster(t)
			stop := cl.start()
			bucket := cl.readyBucket(retain)
			access := cl.readyAccess(bucket)
			stop()
			loss(cl, access, bucket)
			cl.Must(cl.Delete(t.Context(), access))
			cl.start()
			cl.Eventually(func() error { return cl.isGone(access) })
			cl.isRevoked(access)
		})
	}
}

// An error of the deletion of the Secret is retried, and nothing is revoked before.
// Known failure: E72
func TestSecretDeletionIsRetried(t *testing.T) {
	cl := newTestCluster(t)
	cl.start()
	access := cl.readyAccess(cl.readyBucket())
	cl.Requests.Reject(http.MethodDelete, "/secrets/"+access.Spec.CredentialsSecretName)
	cl.Must(cl.Delete(t.Context(), access))
	cl.waitEvent(access, "FailedRevokeAccess", "SecretWriteFailed")
	if calls := cl.driver.Calls(revokeAccess); len(calls) > 0 {
		t.Errorf("the access was revoked before its Secret was deleted: %v", calls)
	}
	cl.Requests.Intercept(nil)
	cl.Eventually(func() error { return cl.isGone(access) })
	cl.isRevoked(access)
}

// An account that was created, without its ID being saved, is revoked with the access.
func TestUnsavedAccountIsRevoked(t *testing.T) {
	cl := newTestCluster(t)
	cl.start()
	bucket := cl.readyBucket()
	cl.driver.Script(grantAccess, func(_ context.Context, _ proto.Message, next drivertest.Next) (proto.Message, error) {
		if _, err := next(); err != nil {
			return nil, err
		}
		return nil, status.Error(codes.Unavailable, "the answer is lost")
	})
	access := cl.access(bucket, cl.class().Name)
	cl.waitEvent(access, "Warning FailedGrantAccess", "the answer is lost")
	cl.Must(cl.Delete(t.Context(), access))
	cl.waitEvent(access, "Warning FailedRevokeAccess", "the answer is lost")
	cl.driver.Script(grantAccess, nil)
	cl.Eventually(func() error { return cl.isGone(access) })
	cl.isRevoked(access)
	cl.remove(bucket)
}

// An access that the driver cannot grant can be deleted.
// Known failure: E52
func TestAccessThatWasNeverGrantedIsReleased(t *testing.T) {
	for _, code := range []codes.Code{codes.InvalidArgument, codes.Unimplemented, codes.Internal, codes.AlreadyExists} {
		t.Run(code.String(), func(t *testing.T) {
			cl := newTestCluster(t)
			cl.driver.Fail(grantAccess, code, "no")
			cl.start()
			bucket := cl.readyBucket()
			access := cl.access(bucket, cl.class().Name)
			cl.waitEvent(access, "Warning FailedGrantAccess", code.String())
			cl.remove(access)
			cl.hasNoCalls(revokeAccess)
			cl.remove(bucket)
		})
	}
}

// Accounts of earlier Grants are revoked, too, of a driver that makes another one for each.
func TestFormerAccountsAreRevoked(t *testing.T) {
	cl := newTestCluster(t)
	cl.start()
	access := cl.readyAccess(cl.readyBucket())
	first := access.Status.AccountID
	cl.driver.Answer(grantAccess, &cosiv1alpha1.DriverGrantBucketAccessResponse{
		AccountId: "second", Credentials: drivertest.V1alpha1Credentials("second"),
	})
	secret, err := cl.secretOf(access)
	cl.Must(err)
	cl.Must(cl.Delete(t.Context(), secret))
	cl.Eventually(func() error {
		if err := cl.Refresh(access); err != nil || access.Status.AccountID != "second" {
			return fmt.Errorf("account %q (%w)", access.Status.AccountID, err)
		}
		return nil
	})
	cl.settle()
	cl.remove(access)
	var revoked []string
	for _, call := range cl.driver.Calls(revokeAccess) {
		request, _ := call.Request.(*cosiv1alpha1.DriverRevokeBucketAccessRequest)
		revoked = append(revoked, request.GetAccountId())
	}
	if diff := cmp.Diff([]string{first, "second"}, revoked); diff != "" {
		t.Errorf("revoked (-want +got):\n%s", diff)
	}
}

// An access and a Secret of upstream's sidecar are taken over without a call, and revoked.
func TestUpstreamAccessIsTakenOver(t *testing.T) {
	cl := newTestCluster(t)
	stop := cl.start()
	bucket := cl.readyBucket()
	access := cl.readyAccess(bucket)
	cl.settle()
	stop()
	secret, err := cl.secretOf(access)
	cl.Must(err)
	cl.Modify(secret, func() { secret.OwnerReferences, secret.Annotations = nil, nil })
	cl.Modify(access, func() { access.Annotations = nil })
	cl.start()
	cl.Eventually(func() error {
		if err := cl.Refresh(access); err != nil || access.Annotations[v1alpha1.GrantAnnotation] == "" {
			return fmt.Errorf("no record (%w)", err)
		}
		return nil
	})
	cl.settle()
	if n := len(cl.driver.Calls(grantAccess)); n != 1 {
		t.Errorf("%d Grants, want 1", n)
	}
	cl.remove(access, bucket)
	cl.isEmpty()
}

// A person who strips the finalizer of an access leaves its Secret behind.
func TestAbandonedSecretIsDeleted(t *testing.T) {
	cl := newTestCluster(t)
	cl.start()
	access := cl.readyAccess(cl.readyBucket())
	cl.Modify(access, func() { access.Finalizers = nil })
	cl.ForceRemove(access)
	cl.Eventually(func() error {
		if _, err := cl.secretOf(access); !apierrors.IsNotFound(err) {
			return fmt.Errorf("the Secret exists (%w)", err)
		}
		return nil
	})
}

// An access that has vanished without its sidecar does not keep its Bucket.
func TestVanishedAccessReleasesItsBucket(t *testing.T) {
	for name, tc := range map[string]struct {
		reason  string
		prepare func(cl *testCluster, access *v1alpha1.BucketAccess)
	}{
		"Before": {"The deletion of the Bucket finds no access.", func(cl *testCluster, access *v1alpha1.BucketAccess) {
			cl.ForceRemove(access)
		}},
		"After": {"The Bucket waits for the access.", func(*testCluster, *v1alpha1.BucketAccess) {}},
		"WithoutRecord": {"Upstream's sidecar writes none.", func(cl *testCluster, access *v1alpha1.BucketAccess) {
			cl.Modify(access, func() { access.Annotations = nil })
			cl.Requests.Reject(http.MethodPatch, "/bucketaccesses/"+access.Name)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			cl := newTestCluster(t)
			cl.driver.Fail(revokeAccess, codes.Unavailable, "the sidecar cannot release the Bucket")
			stop := cl.start()
			bucket := cl.readyBucket()
			access := cl.readyAccess(bucket)
			cl.settle()
			stop()
			tc.prepare(cl, access)
			cl.start()
			cl.Must(cl.Delete(t.Context(), bucket))
			if name != "Before" {
				cl.waitEvent(bucket, "Normal DeletionBlocked")
				cl.hasNoCalls(deleteBucket)
				cl.ForceRemove(access)
			}
			cl.Eventually(func() error { return cl.isGone(bucket) })
			if left := cl.driver.Buckets(); len(left) > 0 {
				t.Errorf("%s\nleft in the backend: %v", tc.reason, left)
			}
		})
	}
}

// A kube-apiserver that is deleting an access ignores the finalizer that the sidecar adds in
// the meantime. Nothing is granted to an access that is gone, and nothing keeps its Bucket.
func TestAccessVanishesBeforeTheGrant(t *testing.T) {
	cl := newTestCluster(t)
	cl.start()
	bucket := cl.readyBucket()
	ofBucket := "/buckets/" + bucket.Name
	created := make(chan *v1alpha1.BucketAccess, 1)
	vanish := sync.OnceFunc(func() { cl.ForceRemove(<-created) })
	cl.Requests.Intercept(func(request *http.Request) (*http.Response, error) {
		if request.Method == http.MethodPatch && strings.HasSuffix(request.URL.Path, ofBucket) {
			vanish()
		}
		return nil, nil
	})
	created <- cl.access(bucket, cl.class().Name).DeepCopy()
	cl.Eventually(func() error {
		if err := cl.Refresh(bucket); err != nil || !controllerutil.ContainsFinalizer(bucket, v1alpha1.BucketAccessBucketFinalizer) {
			return fmt.Errorf("no access has protected the Bucket (%w)", err)
		}
		return nil
	})
	cl.settle()
	cl.hasNoCalls(grantAccess)
	cl.remove(bucket)
	cl.isEmpty()
}
