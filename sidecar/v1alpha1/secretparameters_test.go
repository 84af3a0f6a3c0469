package v1alpha1_test

import (
	"maps"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	"github.com/cosi-emu/cosi-emu/proto/secretparameters"
)

// TestSecretReachesDriver: each call with parameters has the Secret that they name. The call that revokes has no parameters in this
// version, and so no Secret.
// Design: CK-SECRET-1
func TestSecretReachesDriver(t *testing.T) {
	cl := newTestCluster(t)
	cl.options.SecretParametersFrom = []string{cl.Namespace}
	cl.start()
	named := map[string]string{secretparameters.Name: "backend", secretparameters.Namespace: cl.Namespace, "tier": "gold"}
	bucket := cl.bucket(func(b *v1alpha1.Bucket) { b.Spec.Parameters = named })
	cl.waitEvent(bucket, "FailedCreateBucket", "Secret "+cl.Namespace+"/backend", "does not exist: create it")
	cl.hasNoCalls("DriverCreateBucket")
	cl.Must(cl.Create(t.Context(), &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: cl.Namespace, Name: "backend"}, StringData: map[string]string{"token": "hunter2"},
	}))
	cl.waitBucket(bucket)
	cl.bind(bucket)
	class := cl.class(func(c *v1alpha1.BucketAccessClass) { c.Parameters = named })
	access := cl.access(bucket, class.Name)
	cl.waitGranted(access)
	cl.remove(access)
	cl.isRevoked(access)
	for method, want := range map[string]string{"DriverCreateBucket": "hunter2", grantAccess: "hunter2", "DriverRevokeBucketAccess": ""} {
		calls := cl.driver.Calls(method)
		if len(calls) != 1 || calls[0].Secret["token"] != want {
			t.Errorf("%s: %v, want one call with the token %q", method, calls, want)
			continue
		}
		if with, ok := calls[0].Request.(interface{ GetParameters() map[string]string }); ok &&
			!maps.Equal(with.GetParameters(), map[string]string{"tier": "gold"}) {
			t.Errorf("%s has the parameters %v", method, with.GetParameters())
		}
	}
}
