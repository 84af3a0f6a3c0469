package env_test

import (
	"errors"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator/description"
	"github.com/cosi-emu/cosi-emu/internal/env"
)

// TestWithoutProtocol: the advice is for protocols that the fake driver can serve, and does not.
func TestWithoutProtocol(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := errors.Join(clientgoscheme.AddToScheme(scheme), objectstorage.AddToScheme(scheme)); err != nil {
		t.Fatal(err)
	}
	meta := metav1.ObjectMeta{Namespace: "shop", Name: "app"}
	c := fake.NewClientBuilder().WithScheme(scheme).WithObjects(
		&v1alpha2.BucketClaim{ObjectMeta: meta, Spec: v1alpha2.BucketClaimSpec{Protocols: []v1alpha2.Protocol{"S3", "GCS"}}},
		&v1alpha2.BucketClaim{
			ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "other"},
			Spec:       v1alpha2.BucketClaimSpec{Protocols: []v1alpha2.Protocol{"Azure"}},
		},
		&v1alpha2.BucketAccess{ObjectMeta: meta, Spec: v1alpha2.BucketAccessSpec{
			Protocol: "S3", BucketClaims: []v1alpha2.BucketClaimAccess{{BucketClaimName: "app"}},
		}},
		&v1alpha1.BucketAccess{ObjectMeta: meta, Spec: v1alpha1.BucketAccessSpec{BucketClaimName: "app", Protocol: "gcp"}},
		&v1alpha1.BucketAccess{
			ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "azure"},
			Spec:       v1alpha1.BucketAccessSpec{BucketClaimName: "app", Protocol: "azure"},
		},
	).Build()
	for name, tc := range map[string]struct {
		reason, access string
		info           description.Info
		want           string
	}{
		"Claim": {"Its claim requests GCS.", "app", description.Info{S3Endpoint: "s3"}, "late; start the emulator with --protocols S3,GCS"},
		"More": {
			"The others stay on.", "app", description.Info{S3Endpoint: "s3", AzureEndpoint: "azure"},
			"late; start the emulator with --protocols S3,GCS,Azure",
		},
		"On":        {"The cause is another one.", "app", description.Info{S3Endpoint: "s3", GCSEndpoint: "gcs"}, "late"},
		"OwnDriver": {"The flag does not change the user's driver.", "app", description.Info{}, "late"},
		"NoAccess":  {"The error has the cause.", "none", description.Info{S3Endpoint: "s3"}, "late"},
		"Earlier": {
			"A driver has one protocol.", "azure", description.Info{S3Endpoint: "s3", API: objectstorage.V1alpha1},
			"late; start the emulator with --protocols Azure; a driver of v1alpha1 has one protocol",
		},
		"EarlierGCS": {"The fake driver has none.", "app", description.Info{S3Endpoint: "s3", API: objectstorage.V1alpha1}, "late"},
	} {
		key := client.ObjectKey{Namespace: "shop", Name: tc.access}
		if got := env.WithoutProtocol(t.Context(), c, tc.info, key, errors.New("late")); got.Error() != tc.want {
			t.Errorf("%s: %s WithoutProtocol() = %v, want %s", name, tc.reason, got, tc.want)
		}
	}
}
