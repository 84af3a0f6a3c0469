package sidecar_test

import (
	"context"
	"errors"
	"fmt"
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
	w := newWorld(t)
	w.start()
	bucket := w.readyBucket()
	foreign := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: "mine"}, StringData: map[string]string{"a": "b"}}
	w.Must(w.Create(t.Context(), foreign))
	access := w.access([]*v1alpha2.Bucket{bucket}, namingSecret("mine"))
	w.WaitCondition(access, v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse, v1alpha2.ReasonSecretConflict)
	w.settle()
	secret, err := w.secret(access, 0)
	w.Must(err)
	if diff := cmp.Diff(map[string]string{"a": "b"}, text(secret.Data)); diff != "" || len(secret.Finalizers)+len(secret.OwnerReferences) > 0 {
		t.Errorf("the Secret was touched (-want +got):\n%s", diff)
	}
	if calls := w.driver.Calls("DriverGenerateBucketAccessId", "DriverGrantBucketAccess"); len(calls) > 0 {
		t.Errorf("calls for credentials that can be written nowhere: %v", calls)
	}

	w.Must(w.Delete(t.Context(), foreign))
	w.WaitReady(access)
}

func TestForeignSecretIsKept(t *testing.T) {
	w := newWorld(t)
	w.start()
	foreign := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: "mine"}}
	w.Must(w.Create(t.Context(), foreign))
	access := w.access([]*v1alpha2.Bucket{w.readyBucket()}, namingSecret("mine"))
	w.WaitCondition(access, v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse, v1alpha2.ReasonSecretConflict)
	w.Must(w.Delete(t.Context(), access))
	w.isHandedBack(access)
	w.Must(w.Refresh(foreign))
}

// KEP: API-ACCESS-SPEC-3
func TestE32OneSecretForTwo(t *testing.T) {
	// KEP: REASON-26
	t.Run("ClaimsOfOneAccess", func(t *testing.T) {
		w := newWorld(t)
		w.start()
		access := w.access([]*v1alpha2.Bucket{w.readyBucket(), w.readyBucket()}, func(a *v1alpha2.BucketAccess) {
			a.Spec.BucketClaims[0].AccessSecretName, a.Spec.BucketClaims[1].AccessSecretName = "same", "same"
		})
		w.WaitCondition(access, v1alpha2.ConditionProvisioned, metav1.ConditionFalse, v1alpha2.ReasonSecretConflict)
	})
	// KEP: RETRY-8
	t.Run("Accesses", func(t *testing.T) {
		w := newWorld(t)
		w.start()
		bucket := w.readyBucket()
		first := w.access([]*v1alpha2.Bucket{bucket}, namingSecret("same"))
		w.WaitReady(first)
		second := w.access([]*v1alpha2.Bucket{bucket}, namingSecret("same"))
		w.WaitCondition(second, v1alpha2.ConditionProvisioned, metav1.ConditionFalse, v1alpha2.ReasonSecretConflict)
		w.Must(w.Delete(t.Context(), first))
		w.isHandedBack(first)
		w.WaitReady(second)
	})
}

// KEP: RBAC-4, ALT-2
func TestSecretIsRestored(t *testing.T) {
	tests := map[string]struct {
		reason string
		damage func(w *world, secret *corev1.Secret)
	}{
		"Edited": {
			reason: "what an application needs is put right",
			damage: func(w *world, secret *corev1.Secret) {
				w.Modify(secret, func() { secret.Data = map[string][]byte{"AWS_ACCESS_KEY_ID": []byte("wrong"), "EXTRA": nil} })
			},
		},
		"Deleted": {
			reason: "a Secret with our finalizer is released and created again",
			damage: func(w *world, secret *corev1.Secret) { w.Must(w.Delete(w.Context(), secret)) },
		},
		"StrippedAndDeleted": {
			reason: "a deleted Secret is created again",
			damage: func(w *world, secret *corev1.Secret) {
				w.Must(w.Delete(w.Context(), secret))
				for w.Refresh(secret) == nil && !secret.DeletionTimestamp.IsZero() {
					secret.Finalizers = nil
					_ = w.Update(w.Context(), secret) // the sidecar may be faster
				}
			},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.start()
			access := w.readyAccess(w.readyBucket())
			w.settle()
			before, err := w.secret(access, 0)
			w.Must(err)
			tc.damage(w, before.DeepCopy())
			w.Eventually(func() error {
				after, err := w.secret(access, 0)
				if err != nil {
					return err
				}
				if diff := cmp.Diff(text(before.Data), text(after.Data)); diff != "" || after.ResourceVersion == before.ResourceVersion {
					return fmt.Errorf("%s: Secret (-want +got):\n%s", tc.reason, diff)
				}
				return nil
			})
			w.settle()
			w.Must(w.isGranted(access))
		})
	}
}

// E36: a restart of the sidecar grants once more, which brings what has changed.
// KEP: ALT-2
func TestE36RotatedCredentialsAreWritten(t *testing.T) {
	w := newWorld(t)
	stop := w.start()
	access := w.readyAccess(w.readyBucket())
	w.settle()
	stop()

	w.driver.Script("DriverGrantBucketAccess", func(_ context.Context, _ proto.Message, next drivertest.Next) (proto.Message, error) {
		message, err := next()
		response, ok := message.(*cosiv1alpha2.DriverGrantBucketAccessResponse)
		if !ok {
			return nil, errors.Join(err, errors.New("no response"))
		}
		response.Credentials.S3.AccessSecretKey = "rotated"
		return response, nil
	})
	w.requests.Reset()
	w.start()
	w.Eventually(func() error {
		secret, err := w.secret(access, 0)
		if got := string(secret.Data["AWS_SECRET_ACCESS_KEY"]); err != nil || got != "rotated" {
			return fmt.Errorf("the key is %q (%w)", got, err)
		}
		return nil
	})
	w.settle()
	if got := w.requests.Writes(); len(got) != 1 {
		t.Errorf("writes after the restart: %v, want the Secret alone", got)
	}
}

func TestE60RestartOfTheSidecarWritesNothing(t *testing.T) {
	w := newWorld(t)
	stop := w.start()
	access := w.readyAccess(w.readyBucket())
	w.settle()
	stop()
	w.requests.Reset()
	granted := len(w.driver.Calls("DriverGrantBucketAccess"))
	w.start()
	w.Eventually(func() error {
		if now := len(w.driver.Calls("DriverGrantBucketAccess")); now != granted+1 {
			return fmt.Errorf("%d grants, want one more than %d", now, granted)
		}
		return nil
	})
	w.settle()
	if got := w.requests.Writes(); len(got) > 0 {
		t.Errorf("writes: %v", got)
	}
	if got := len(w.driver.Calls("DriverGrantBucketAccess")); got != granted+1 {
		t.Errorf("%d grants, want %d", got, granted+1)
	}
	w.Must(w.isGranted(access))
}

// No secret reaches the objects that more people can read than Secrets.
// KEP: SECRET-3
func TestCredentialsStayInSecrets(t *testing.T) {
	w := newWorld(t)
	w.start()
	access := w.readyAccess(w.readyBucket())
	secret := drivertest.SecretKey(access.Status.AccountID)
	if status := fmt.Sprintf("%v", access.Status); len(status) > 0 && containsAny(status, secret) {
		t.Errorf("the status shows a secret: %s", status)
	}
}
