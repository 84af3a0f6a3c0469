package sidecar_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

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
