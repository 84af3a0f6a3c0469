package env_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	"github.com/cosi-emu/cosi-emu/internal/env"
)

const bucketInfo = `{"spec":{"bucketName":"bucket-1","secretS3":` +
	`{"endpoint":"http://here","region":"here-1","accessKeyID":"AK","accessSecretKey":"hidden-key"}}}`

// grantedV1alpha1 are the objects of an access of v1alpha1 to a bucket with an ID.
func grantedV1alpha1(granted bool, id, info string) []client.Object {
	meta := metav1.ObjectMeta{Namespace: "shop", Name: "app", UID: "1"}
	return []client.Object{
		&v1alpha1.Bucket{ObjectMeta: metav1.ObjectMeta{Name: "bucket-1"}, Status: v1alpha1.BucketStatus{BucketID: id}},
		&v1alpha1.BucketClaim{ObjectMeta: meta, Status: v1alpha1.BucketClaimStatus{BucketName: "bucket-1"}},
		&v1alpha1.BucketAccess{
			ObjectMeta: meta, Spec: v1alpha1.BucketAccessSpec{BucketClaimName: "app", CredentialsSecretName: "key"},
			Status: v1alpha1.BucketAccessStatus{AccessGranted: granted},
		},
		&corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "key"}, Data: map[string][]byte{v1alpha1.BucketInfoKey: []byte(info)},
		},
		&corev1.Event{
			ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "why"}, InvolvedObject: corev1.ObjectReference{UID: "1"},
			Type: corev1.EventTypeWarning, Reason: "FailedGrantAccess", Message: "DriverError: no quota",
		},
	}
}

// existing are the objects of an access to a bucket that existed before its Bucket.
func existing(id string) []client.Object {
	objects := grantedV1alpha1(true, id, bucketInfo)
	bucket, _ := objects[0].(*v1alpha1.Bucket)
	bucket.Spec.ExistingBucketID = id
	return objects
}

func withEndpoint(variables []env.Variable, value, added string) []env.Variable {
	for i := range variables {
		if variables[i].Name == "AWS_ENDPOINT_URL" {
			variables[i].Value, variables[i].Added = value, added
		}
	}
	return variables
}

// TestForAccessV1alpha1 reads the BucketInfo of a Secret.
func TestForAccessV1alpha1(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := errors.Join(clientgoscheme.AddToScheme(scheme), objectstorage.AddToScheme(scheme)); err != nil {
		t.Fatal(err)
	}
	variables := func(bucket string) []env.Variable {
		return []env.Variable{
			{Name: "AWS_ACCESS_KEY_ID", Value: "AK"},
			{Name: "AWS_DEFAULT_REGION", Value: "here-1"},
			{Name: "AWS_ENDPOINT_URL", Value: "http://here"},
			{Name: "AWS_S3_ADDRESSING_STYLE", Value: "path"},
			{Name: "AWS_SECRET_ACCESS_KEY", Value: "hidden-key"},
			{Name: "BUCKET_NAME", Value: bucket},
			{Name: "COSI_PROTOCOL", Value: "S3"},
			{Name: "AWS_REGION", Value: "here-1", Added: "not in the Secret; added for SDKs that do not read AWS_DEFAULT_REGION"},
		}
	}
	for name, tc := range map[string]struct {
		objects []client.Object
		want    []env.Variable
		err     error
		says    []string
	}{
		"Same":     {objects: grantedV1alpha1(true, "bucket-1", bucketInfo), want: variables("bucket-1")},
		"OwnID":    {objects: grantedV1alpha1(true, "4711", bucketInfo), want: variables("bucket-1")}, // not a name
		"Existing": {objects: existing("archive"), want: variables("archive")},
		"OpaqueID": {objects: existing("arn:one:b/1"), want: variables("bucket-1")},
		"NoScheme": {
			objects: grantedV1alpha1(true, "bucket-1", strings.Replace(bucketInfo, "http://here", "127.0.0.1:9000", 1)),
			want:    withEndpoint(variables("bucket-1"), "http://127.0.0.1:9000", "in the Secret without http://, which clients require"),
		},
		"NoSchemeElsewhere": {
			objects: grantedV1alpha1(true, "bucket-1", strings.Replace(bucketInfo, "http://here", "s3.example.com", 1)),
			want:    withEndpoint(variables("bucket-1"), "https://s3.example.com", "in the Secret without https://, which clients require"),
		},
		"NoBucket": {objects: grantedV1alpha1(true, "archive", bucketInfo)[1:], want: variables("bucket-1")},
		"NotReady": {
			objects: grantedV1alpha1(false, "bucket-1", bucketInfo), err: env.ErrNotReady, says: []string{"BucketAccess shop/app", "no quota"},
		},
		"NoJSON": {
			objects: grantedV1alpha1(true, "bucket-1", "hidden-key"), err: v1alpha1.ErrBucketInfo, says: []string{"Secret shop/key", "BucketInfo"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := fake.NewClientBuilder().WithScheme(scheme).WithObjects(tc.objects...).Build()
			got, err := env.ForAccess(t.Context(), c, objectstorage.V1alpha1, client.ObjectKey{Namespace: "shop", Name: "app"}, "")
			if !errors.Is(err, tc.err) || err != nil && strings.Contains(err.Error(), "hidden") {
				t.Fatalf("error %v, want %v", err, tc.err)
			}
			for _, want := range tc.says {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("the error %q does not say %q", err, want)
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
		})
	}
}
