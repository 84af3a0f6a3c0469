package realcluster_test

import (
	"context"
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/test/harness"
	"github.com/cosi-emu/cosi-emu/test/realcluster"
)

const (
	controllerApp = "cosi-controller"
	driverApp     = "cosi-fake-driver"
)

// pair is a claim, and an access whose Secret has the name of the claim.
const pair = `
apiVersion: objectstorage.k8s.io/v1alpha2
kind: BucketClaim
metadata: {name: %[2]s, namespace: %[1]s}
spec: {bucketClassName: %[3]s, protocols: [S3]}
---
apiVersion: objectstorage.k8s.io/v1alpha2
kind: BucketAccess
metadata: {name: %[2]s, namespace: %[1]s}
spec:
  bucketAccessClassName: %[3]s
  protocol: S3
  bucketClaims: [{bucketClaimName: %[2]s, accessSecretName: %[2]s, accessModes: {objectData: ReadWrite}}]
`

// bucketJob is a Job that uses the bucket of a Secret, under the rules of a restricted namespace.
const bucketJob = `
apiVersion: batch/v1
kind: Job
metadata: {name: %[2]s, namespace: %[1]s}
spec:
  template:
    spec:
      restartPolicy: OnFailure
      securityContext: {runAsNonRoot: true, runAsUser: 65532, seccompProfile: {type: RuntimeDefault}}
      containers:
      - name: job
        image: %[4]s
        args: %[5]s
        envFrom: [{secretRef: {name: %[3]s}}]
        securityContext: {allowPrivilegeEscalation: false, capabilities: {drop: [ALL]}}
`

// suite has the cluster that the tests share.
type suite struct{ *realcluster.Cluster }

// namespace creates a namespace, and expects at the end of the test that it can be deleted.
func (s suite) namespace(t *testing.T) string {
	t.Helper()
	object := &corev1.Namespace{}
	object.GenerateName = "test-"
	object.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Namespace"))
	if err := s.Create(t.Context(), object); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			return
		}
		if err := s.Delete(harness.Context(t), object); err != nil {
			t.Fatal(err)
		}
		object.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Namespace"))
		s.WaitGone(t, object)
	})
	return object.Name
}

func cosi(kind, namespace, name string) *unstructured.Unstructured {
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(schema.GroupVersionKind{Group: "objectstorage.k8s.io", Version: "v1alpha2", Kind: kind})
	object.SetNamespace(namespace)
	object.SetName(name)
	return object
}

// isReady returns an error unless the object is ready to use.
func (s suite) isReady(ctx context.Context, object *unstructured.Unstructured) error {
	if err := s.Get(ctx, client.ObjectKeyFromObject(object), object); err != nil {
		return err
	}
	if ready, _, _ := unstructured.NestedBool(object.Object, "status", "readyToUse"); !ready {
		return fmt.Errorf("%s %s is not ready: %v", object.GetKind(), object.GetName(), object.Object["status"])
	}
	return nil
}

func (s suite) waitReady(t *testing.T, kind, namespace, name string) {
	t.Helper()
	harness.Eventually(t, kind+"/"+name, func(ctx context.Context) error { return s.isReady(ctx, cosi(kind, namespace, name)) })
}

// deletePair deletes an access, and then its claim, and waits until both and the Secret are gone.
func (s suite) deletePair(t *testing.T, namespace, name string) {
	t.Helper()
	secret := &corev1.Secret{}
	secret.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Secret"))
	secret.Namespace, secret.Name = namespace, name
	for _, kind := range []string{"BucketAccess", "BucketClaim"} {
		if err := s.Delete(t.Context(), cosi(kind, namespace, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, object := range []client.Object{cosi("BucketAccess", namespace, name), cosi("BucketClaim", namespace, name), secret} {
		s.WaitGone(t, object)
	}
}

func (s suite) buckets(ctx context.Context) (*unstructured.UnstructuredList, error) {
	buckets := &unstructured.UnstructuredList{}
	buckets.SetGroupVersionKind(cosi("BucketList", "", "").GroupVersionKind())
	return buckets, s.List(ctx, buckets)
}
