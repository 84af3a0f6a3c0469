package sidecar_test

import (
	"maps"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/proto/secretparameters"
	"github.com/cosi-emu/cosi-emu/test/drivertest"
)

// backendSecret is the name of a Secret of the test's namespace for the driver.
const backendSecret = "backend"

// namingSecretForDriver has the Bucket name the Secret.
func (cl *testCluster) namingSecretForDriver(b *v1alpha2.Bucket) {
	b.Spec.Parameters = cl.parametersWithSecret()
}

func (cl *testCluster) parametersWithSecret() map[string]string {
	return map[string]string{secretparameters.Name: backendSecret, secretparameters.Namespace: cl.Namespace, "tier": "gold"}
}

func (cl *testCluster) secretForDriver(token string) *corev1.Secret {
	cl.Helper()
	secret := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: cl.Namespace, Name: backendSecret}, StringData: map[string]string{"token": token},
	}
	cl.Must(cl.Create(cl.Context(), secret))
	return secret
}

// TestSecretReachesDriver: each call has the Secret that the class names, as it is at that moment, and none of its parameters. Buckets
// and accesses wait for the Secret, and can be deleted without it.
// Design: CK-SECRET-1, CK-SECRET-8, CSI-SECRET-1, CSI-SECRET-6
// KEP: REASON-34
func TestSecretReachesDriver(t *testing.T) {
	cl := newTestCluster(t)
	cl.options.SecretParametersFrom = []string{cl.Namespace}
	cl.start()
	bucket := cl.bucket(cl.namingSecretForDriver)
	message := cl.WaitCondition(bucket, v1alpha2.ConditionProvisionFailed, metav1.ConditionTrue, v1alpha2.ReasonClassSecretUnavailable)
	if want := "Secret " + cl.Namespace + "/backend, which the class names for the driver, does not exist"; !strings.Contains(message, want) {
		t.Errorf("message %q, want one with %q", message, want)
	}
	if calls := cl.driver.Calls("DriverGenerateBucketId"); len(calls) > 0 {
		t.Errorf("calls without the Secret: %v", calls)
	}
	secret := cl.secretForDriver("first")
	cl.WaitReady(bucket)
	cl.driver.AddBucket("old")
	static := cl.readyBucket(existing("old"), cl.namingSecretForDriver)
	cl.Modify(secret, func() { secret.Data = map[string][]byte{"token": []byte("second")} })
	access := cl.access([]*v1alpha2.Bucket{static}, func(a *v1alpha2.BucketAccess) {
		a.Status.Parameters = cl.parametersWithSecret()
		a.Status.AccessedBuckets[0].BucketID = "old"
	})
	cl.WaitReady(access)
	cl.expectSecret("first", "DriverGenerateBucketId", "DriverCreateBucket", "DriverGetBucket")
	cl.expectSecret("second", "DriverGenerateBucketAccessId", "DriverGrantBucketAccess")

	cl.Must(cl.Delete(t.Context(), access))
	cl.isHandedBack(access)
	cl.expectSecret("second", "DriverRevokeBucketAccess")
	cl.Must(cl.Delete(t.Context(), secret))
	cl.releaseClaim(bucket)
	cl.Must(cl.Delete(t.Context(), bucket))
	cl.WaitGone(bucket)
	cl.expectSecret("", "DriverDeleteBucket")
}

// TestSecretReachesDeletion: while the Secret exists, the call that deletes a bucket has it, too.
// Design: CK-SECRET-6
func TestSecretReachesDeletion(t *testing.T) {
	cl := newTestCluster(t)
	cl.options.SecretParametersFrom = []string{cl.Namespace}
	cl.start()
	cl.secretForDriver("hunter2")
	bucket := cl.readyBucket(cl.namingSecretForDriver)
	cl.releaseClaim(bucket)
	cl.Must(cl.Delete(t.Context(), bucket))
	cl.WaitGone(bucket)
	cl.expectSecret("hunter2", "DriverDeleteBucket")
}

// expectSecret checks the Secret and the parameters of the calls of some methods, of which each was called.
func (cl *testCluster) expectSecret(token string, methods ...string) {
	cl.Helper()
	for _, method := range methods {
		calls := cl.driver.Calls(method)
		if len(calls) == 0 {
			cl.Errorf("no call of %s", method)
		}
		for _, call := range calls {
			request, ok := call.Request.(interface{ GetParameters() map[string]string })
			if !ok || call.Secret["token"] != token || !maps.Equal(request.GetParameters(), map[string]string{"tier": "gold"}) {
				cl.Errorf("%s with the Secret %v: %v; want the token %q and the class's own parameters", method, call.Secret, call.Request, token)
			}
		}
	}
}

// TestSecretParametersAreOff: without the option, parameters reach the driver as they are, and no Secret does.
func TestSecretParametersAreOff(t *testing.T) {
	cl := newTestCluster(t)
	cl.start()
	cl.secretForDriver("hunter2")
	bucket := cl.readyBucket(cl.namingSecretForDriver)
	for _, call := range cl.driver.Calls("DriverGenerateBucketId", "DriverCreateBucket") {
		checkUntouched(t, call, bucket.Spec.Parameters)
	}
}

func checkUntouched(t *testing.T, call drivertest.Call, parameters map[string]string) {
	t.Helper()
	request, ok := call.Request.(interface{ GetParameters() map[string]string })
	if !ok || call.Secret != nil || !maps.Equal(request.GetParameters(), parameters) {
		t.Errorf("%s with the Secret %v: %v", call.Method, call.Secret, call.Request)
	}
}

// TestSecretOfOtherNamespace: the sidecar reads only Secrets of the selected namespaces for the driver, although it may read all.
// Design: CK-SECRET-7
func TestSecretOfOtherNamespace(t *testing.T) {
	cl := newTestCluster(t)
	cl.options.SecretParametersFrom = []string{"backends"}
	cl.start()
	cl.secretForDriver("hunter2")
	bucket := cl.bucket(cl.namingSecretForDriver)
	message := cl.WaitCondition(bucket, v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse, v1alpha2.ReasonInvalidSpec)
	if !strings.Contains(message, "--secret-parameters-from="+cl.Namespace) {
		t.Errorf("message %q", message)
	}
	if methods := cl.driver.Calls("DriverGenerateBucketId"); len(methods) > 0 {
		t.Errorf("calls: %v", methods)
	}
}
