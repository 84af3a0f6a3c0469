package sidecar_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

// An access whose Secret cannot be written says so, and makes no credentials
// before it can.
// KEP: REASON-27
func TestSecretThatCannotBeWritten(t *testing.T) {
	// KEP: COND-ACCESS-6
	t.Run("Create", func(t *testing.T) {
		w := newWorld(t)
		w.start()
		bucket := w.readyBucket()
		w.requests.Reject(http.MethodPost, "/secrets")
		access := w.access([]*v1alpha2.Bucket{bucket})
		w.WaitCondition(access, v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse, v1alpha2.ReasonSecretWriteFailed)
		w.WaitCondition(access, v1alpha2.ConditionProvisioned, metav1.ConditionUnknown, v1alpha2.ReasonSecretWriteFailed)
		if calls := w.driver.Calls("DriverGrantBucketAccess"); len(calls) > 0 {
			t.Errorf("calls: %v", calls)
		}
		w.requests.Intercept(nil)
		w.WaitReady(access)
		w.WaitCondition(access, v1alpha2.ConditionResourcesValidated, metav1.ConditionTrue, v1alpha2.ReasonValidated)
	})
	// KEP: COND-ACCESS-6
	t.Run("Immutable", func(t *testing.T) {
		w := newWorld(t)
		w.start()
		access := w.readyAccess(w.readyBucket())
		secret, err := w.secret(access, 0)
		w.Must(err)
		want := text(secret.Data)
		w.Modify(secret, func() {
			secret.Immutable, secret.Data = new(true), map[string][]byte{"AWS_ACCESS_KEY_ID": []byte("wrong")}
		})
		w.WaitCondition(access, v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse, v1alpha2.ReasonSecretWriteFailed)
		w.WaitCondition(access, v1alpha2.ConditionProvisioned, metav1.ConditionTrue, v1alpha2.ReasonProvisioned)
		w.Must(w.Delete(t.Context(), secret))
		w.Eventually(func() error {
			again, err := w.secret(access, 0)
			if err != nil {
				return err
			}
			if diff := cmp.Diff(want, text(again.Data)); diff != "" {
				return fmt.Errorf("Secret (-want +got):\n%s", diff)
			}
			return nil
		})
		w.WaitCondition(access, v1alpha2.ConditionResourcesValidated, metav1.ConditionTrue, v1alpha2.ReasonValidated)
	})
}

// A driver that rotates its keys must not be asked for another as long as the Secret
// is immutable: the application's key would be dead, and the new one written nowhere.
// KEP: REASON-27
// Known failure: E94
func TestNoGrantForAnImmutableSecret(t *testing.T) {
	w := newWorld(t)
	stop := w.start()
	access := w.readyAccess(w.readyBucket())
	w.settle()
	before := len(w.driver.Calls("DriverGrantBucketAccess"))
	secret, err := w.secret(access, 0)
	w.Must(err)
	w.Modify(secret, func() { secret.Immutable = new(true) })
	w.WaitCondition(access, v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse, v1alpha2.ReasonSecretWriteFailed)
	stop()
	w.start()
	w.settle()
	if got := len(w.driver.Calls("DriverGrantBucketAccess")); got != before {
		t.Errorf("%d more calls to grant", got-before)
	}
	w.Must(w.isGranted(access))
	w.Must(w.Delete(t.Context(), secret))
	w.WaitCondition(access, v1alpha2.ConditionResourcesValidated, metav1.ConditionTrue, v1alpha2.ReasonValidated)
	if got := len(w.driver.Calls("DriverGrantBucketAccess")); got == before {
		t.Error("no call to grant after the Secret was deleted")
	}
}
