package sidecar_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
	"github.com/cosi-emu/cosi-emu/test/drivertest"
)

// COSI does not take over an existing Secret. When it goes, the access
// goes on.
// KEP: FLOW-GRANT-4.6, RETRY-8, REASON-26
func TestE11E74ForeignSecretIsNotTakenOver(t *testing.T) {
	cl := newTestCluster(t)
	cl.start()
	bucket := cl.readyBucket()
	foreign := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: cl.Namespace, Name: "mine"}, StringData: map[string]string{"a": "b"}}
	cl.Must(cl.Create(t.Context(), foreign))
	access := cl.access([]*v1alpha2.Bucket{bucket}, namingSecret("mine"))
	cl.WaitCondition(access, v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse, v1alpha2.ReasonSecretConflict)
	cl.settle()
	secret, err := cl.secret(access, 0)
	cl.Must(err)
	if diff := cmp.Diff(map[string]string{"a": "b"}, text(secret.Data)); diff != "" || len(secret.Finalizers)+len(secret.OwnerReferences) > 0 {
		t.Errorf("the Secret was touched (-want +got):\n%s", diff)
	}
	if calls := cl.driver.Calls("DriverGenerateBucketAccessId", "DriverGrantBucketAccess"); len(calls) > 0 {
		t.Errorf("calls for credentials that can be written nowhere: %v", calls)
	}

	cl.Must(cl.Delete(t.Context(), foreign))
	cl.WaitReady(access)
}

func TestForeignSecretIsKept(t *testing.T) {
	cl := newTestCluster(t)
	cl.start()
	foreign := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: cl.Namespace, Name: "mine"}}
	cl.Must(cl.Create(t.Context(), foreign))
	access := cl.access([]*v1alpha2.Bucket{cl.readyBucket()}, namingSecret("mine"))
	cl.WaitCondition(access, v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse, v1alpha2.ReasonSecretConflict)
	cl.Must(cl.Delete(t.Context(), access))
	cl.isHandedBack(access)
	cl.Must(cl.Refresh(foreign))
}

// KEP: API-ACCESS-SPEC-3
func TestE32OneSecretForTwo(t *testing.T) {
	// KEP: REASON-26
	t.Run("ClaimsOfOneAccess", func(t *testing.T) {
		cl := newTestCluster(t)
		cl.start()
		access := cl.access([]*v1alpha2.Bucket{cl.readyBucket(), cl.readyBucket()}, func(a *v1alpha2.BucketAccess) {
			a.Spec.BucketClaims[0].AccessSecretName, a.Spec.BucketClaims[1].AccessSecretName = "same", "same"
		})
		cl.WaitCondition(access, v1alpha2.ConditionProvisioned, metav1.ConditionFalse, v1alpha2.ReasonSecretConflict)
	})
	// KEP: RETRY-8
	t.Run("Accesses", func(t *testing.T) {
		cl := newTestCluster(t)
		cl.start()
		bucket := cl.readyBucket()
		first := cl.access([]*v1alpha2.Bucket{bucket}, namingSecret("same"))
		cl.WaitReady(first)
		second := cl.access([]*v1alpha2.Bucket{bucket}, namingSecret("same"))
		cl.WaitCondition(second, v1alpha2.ConditionProvisioned, metav1.ConditionFalse, v1alpha2.ReasonSecretConflict)
		cl.Must(cl.Delete(t.Context(), first))
		cl.isHandedBack(first)
		cl.WaitReady(second)
	})
}

// KEP: RBAC-4, ALT-2
func TestSecretIsRestored(t *testing.T) {
	tests := map[string]struct {
		reason string
		damage func(cl *testCluster, secret *corev1.Secret)
	}{
		"Edited": {
			reason: "what an application needs is put right",
			damage: func(cl *testCluster, secret *corev1.Secret) {
				cl.Modify(secret, func() { secret.Data = map[string][]byte{"AWS_ACCESS_KEY_ID": []byte("wrong"), "EXTRA": nil} })
			},
		},
		"Deleted": {
			reason: "a Secret with our finalizer is released and created again",
			damage: func(cl *testCluster, secret *corev1.Secret) { cl.Must(cl.Delete(cl.Context(), secret)) },
		},
		"StrippedAndDeleted": {
			reason: "a deleted Secret is created again",
			damage: func(cl *testCluster, secret *corev1.Secret) {
				cl.Must(cl.Delete(cl.Context(), secret))
				for cl.Refresh(secret) == nil && !secret.DeletionTimestamp.IsZero() {
					secret.Finalizers = nil
					_ = cl.Update(cl.Context(), secret) // the sidecar may be faster
				}
			},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			cl := newTestCluster(t)
			cl.start()
			access := cl.readyAccess(cl.readyBucket())
			cl.settle()
			before, err := cl.secret(access, 0)
			cl.Must(err)
			tc.damage(cl, before.DeepCopy())
			cl.Eventually(func() error {
				after, err := cl.secret(access, 0)
				if err != nil {
					return err
				}
				if diff := cmp.Diff(text(before.Data), text(after.Data)); diff != "" || after.ResourceVersion == before.ResourceVersion {
					return fmt.Errorf("%s: Secret (-want +got):\n%s", tc.reason, diff)
				}
				return nil
			})
			cl.settle()
			cl.Must(cl.isGranted(access))
		})
	}
}

// E36: a restart of the sidecar grants once more, which brings the changed credentials.
// KEP: ALT-2
func TestE36RotatedCredentialsAreWritten(t *testing.T) {
	cl := newTestCluster(t)
	stop := cl.start()
	access := cl.readyAccess(cl.readyBucket())
	cl.settle()
	stop()

	cl.driver.Script("DriverGrantBucketAccess", func(_ context.Context, _ proto.Message, next drivertest.Next) (proto.Message, error) {
		message, err := next()
		response, ok := message.(*cosiv1alpha2.DriverGrantBucketAccessResponse)
		if !ok {
			return nil, errors.Join(err, errors.New("no response"))
		}
		response.Credentials.S3.AccessSecretKey = "rotated"
		return response, nil
	})
	cl.Requests.Reset()
	cl.start()
	cl.Eventually(func() error {
		secret, err := cl.secret(access, 0)
		if got := string(secret.Data["AWS_SECRET_ACCESS_KEY"]); err != nil || got != "rotated" {
			return fmt.Errorf("the key is %q (%w)", got, err)
		}
		return nil
	})
	cl.settle()
	if got := cl.Requests.Writes(); len(got) != 1 {
		t.Errorf("writes after the restart: %v, want the Secret alone", got)
	}
}

func TestE60RestartOfTheSidecarWritesNothing(t *testing.T) {
	cl := newTestCluster(t)
	stop := cl.start()
	access := cl.readyAccess(cl.readyBucket())
	cl.settle()
	stop()
	cl.Requests.Reset()
	granted := len(cl.driver.Calls("DriverGrantBucketAccess"))
	cl.start()
	cl.Eventually(func() error {
		if now := len(cl.driver.Calls("DriverGrantBucketAccess")); now != granted+1 {
			return fmt.Errorf("%d grants, want one more than %d", now, granted)
		}
		return nil
	})
	cl.settle()
	if got := cl.Requests.Writes(); len(got) > 0 {
		t.Errorf("writes: %v", got)
	}
	if got := len(cl.driver.Calls("DriverGrantBucketAccess")); got != granted+1 {
		t.Errorf("%d grants, want %d", got, granted+1)
	}
	cl.Must(cl.isGranted(access))
}

// No secret reaches the objects that more people can read than Secrets.
// KEP: SECRET-3
func TestCredentialsStayInSecrets(t *testing.T) {
	cl := newTestCluster(t)
	cl.start()
	access := cl.readyAccess(cl.readyBucket())
	secret := drivertest.SecretKey(access.Status.AccountID)
	if status := fmt.Sprintf("%v", access.Status); len(status) > 0 && containsAny(status, secret) {
		t.Errorf("the status shows a secret: %s", status)
	}
}

// An access whose Secret cannot be written reports this, and creates no credentials before it can.
// KEP: REASON-27
func TestSecretThatCannotBeWritten(t *testing.T) {
	// KEP: COND-ACCESS-6
	t.Run("Create", func(t *testing.T) {
		cl := newTestCluster(t)
		cl.start()
		bucket := cl.readyBucket()
		cl.Requests.Reject(http.MethodPost, "/secrets")
		access := cl.access([]*v1alpha2.Bucket{bucket})
		cl.WaitCondition(access, v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse, v1alpha2.ReasonSecretWriteFailed)
		cl.WaitCondition(access, v1alpha2.ConditionProvisioned, metav1.ConditionUnknown, v1alpha2.ReasonSecretWriteFailed)
		if calls := cl.driver.Calls("DriverGrantBucketAccess"); len(calls) > 0 {
			t.Errorf("calls: %v", calls)
		}
		cl.Requests.Intercept(nil)
		cl.WaitReady(access)
		cl.WaitCondition(access, v1alpha2.ConditionResourcesValidated, metav1.ConditionTrue, v1alpha2.ReasonValidated)
	})
	// KEP: COND-ACCESS-6
	t.Run("Immutable", func(t *testing.T) {
		cl := newTestCluster(t)
		cl.start()
		access := cl.readyAccess(cl.readyBucket())
		secret, err := cl.secret(access, 0)
		cl.Must(err)
		want := text(secret.Data)
		cl.Modify(secret, func() {
			secret.Immutable, secret.Data = new(true), map[string][]byte{"AWS_ACCESS_KEY_ID": []byte("wrong")}
		})
		cl.WaitCondition(access, v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse, v1alpha2.ReasonSecretWriteFailed)
		cl.WaitCondition(access, v1alpha2.ConditionProvisioned, metav1.ConditionTrue, v1alpha2.ReasonProvisioned)
		cl.Must(cl.Delete(t.Context(), secret))
		cl.Eventually(func() error {
			again, err := cl.secret(access, 0)
			if err != nil {
				return err
			}
			if diff := cmp.Diff(want, text(again.Data)); diff != "" {
				return fmt.Errorf("Secret (-want +got):\n%s", diff)
			}
			return nil
		})
		cl.WaitCondition(access, v1alpha2.ConditionResourcesValidated, metav1.ConditionTrue, v1alpha2.ReasonValidated)
	})
}

// A driver that rotates its keys must not be asked for another as long as the Secret
// is immutable: the application's key would be dead, and the new one written nowhere.
// KEP: REASON-27
// Known failure: E94
func TestNoGrantForAnImmutableSecret(t *testing.T) {
	cl := newTestCluster(t)
	stop := cl.start()
	access := cl.readyAccess(cl.readyBucket())
	cl.settle()
	before := len(cl.driver.Calls("DriverGrantBucketAccess"))
	secret, err := cl.secret(access, 0)
	cl.Must(err)
	cl.Modify(secret, func() { secret.Immutable = new(true) })
	cl.WaitCondition(access, v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse, v1alpha2.ReasonSecretWriteFailed)
	stop()
	cl.start()
	cl.settle()
	if got := len(cl.driver.Calls("DriverGrantBucketAccess")); got != before {
		t.Errorf("%d more calls to grant", got-before)
	}
	cl.Must(cl.isGranted(access))
	cl.Must(cl.Delete(t.Context(), secret))
	cl.WaitCondition(access, v1alpha2.ConditionResourcesValidated, metav1.ConditionTrue, v1alpha2.ReasonValidated)
	if got := len(cl.driver.Calls("DriverGrantBucketAccess")); got == before {
		t.Error("no call to grant after the Secret was deleted")
	}
}
