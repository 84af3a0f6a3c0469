package realcluster_test

import (
	"context"
	"fmt"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/test/harness"
)

const pairV1alpha1 = `
apiVersion: objectstorage.k8s.io/v1alpha1
kind: BucketClaim
metadata: {name: photos, namespace: %[1]s}
spec: {bucketClassName: fake, protocols: [S3]}
---
apiVersion: objectstorage.k8s.io/v1alpha1
kind: BucketAccess
metadata: {name: photos, namespace: %[1]s}
spec: {bucketClaimName: photos, bucketAccessClassName: fake, protocol: S3, credentialsSecretName: photos}
`

// testV1alpha1 replaces COSI v1alpha2 by v1alpha1, and uses it.
func testV1alpha1(t *testing.T, s suite) {
	t.Helper()
	s.DeleteDir(t, "../../deploy/example-driver")
	s.DeleteDir(t, "../../deploy")
	s.ApplyDir(t, "../../deploy/v1alpha1")
	s.ApplyDir(t, "../../deploy/v1alpha1/example-driver")
	namespace := s.namespace(t)
	objects := s.ApplyYAML(t, pairV1alpha1, namespace)
	for i, field := range []string{"bucketReady", "accessGranted"} {
		object := objects[i]
		harness.Eventually(t, object.GetKind(), func(ctx context.Context) error {
			err := s.Get(ctx, client.ObjectKeyFromObject(object), object)
			if ready, _, _ := unstructured.NestedBool(object.Object, "status", field); err == nil && !ready {
				err = fmt.Errorf("%s is not set: %v", field, object.Object["status"])
			}
			return err
		})
	}
	for _, object := range []*unstructured.Unstructured{objects[1], objects[0]} {
		if err := s.Delete(t.Context(), object); err != nil {
			t.Fatal(err)
		}
		s.WaitGone(t, object)
	}
	s.DeleteDir(t, "../../deploy/v1alpha1/example-driver")
	s.DeleteDir(t, "../../deploy/v1alpha1")
}
