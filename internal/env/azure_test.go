package env_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/env"
)

// TestForAccessAzure: the variables include the name of the container and a connection string,
// whether the account is in the path or in the host of the URI.
func TestForAccessAzure(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := errors.Join(clientgoscheme.AddToScheme(scheme), objectstorage.AddToScheme(scheme)); err != nil {
		t.Fatal(err)
	}
	meta := metav1.ObjectMeta{Namespace: "shop", Name: "app"}
	ready := &v1alpha2.BucketAccess{
		ObjectMeta: meta, Spec: v1alpha2.BucketAccessSpec{BucketClaims: []v1alpha2.BucketClaimAccess{{BucketClaimName: "photos",
			AccessSecretName: "key"}}},
		Status: v1alpha2.BucketAccessStatus{ReadyToUse: true},
	}
	for name, tc := range map[string]struct{ uri, endpoint, container string }{
		"Path": {"http://127.0.0.1:10000/cosiabc/photos?si=AK&sig=x%2By", "http://127.0.0.1:10000/cosiabc", "photos"},
		"Host": {"https://cosiabc.blob.example.com/photos?si=AK&sig=x%2By", "https://cosiabc.blob.example.com", "photos"},
	} {
		t.Run(name, func(t *testing.T) {
			secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "key"}, Data: map[string][]byte{
				v1alpha2.SecretKeyAzureSASToken: []byte(tc.uri),
			}}
			c := fake.NewClientBuilder().WithScheme(scheme).WithObjects(ready, secret).Build()
			got, err := env.ForAccess(t.Context(), c, objectstorage.V1alpha2, client.ObjectKeyFromObject(ready), "")
			want := []env.Variable{
				{Name: "AZURE_STORAGE_SAS_TOKEN", Value: tc.uri},
				{
					Name: "AZURE_STORAGE_CONNECTION_STRING", Value: "BlobEndpoint=" + tc.endpoint + ";SharedAccessSignature=si=AK&sig=x%2By",
					Added: "not in the Secret; added for SDKs that do not read a URI",
				},
				{Name: "BUCKET_NAME", Value: tc.container, Added: "not in the Secret; added from AZURE_STORAGE_SAS_TOKEN"},
			}
			if diff := cmp.Diff(want, got); err != nil || diff != "" {
				t.Errorf("ForAccess(): %v; -want, +got:\n%s", err, diff)
			}
		})
	}
}
