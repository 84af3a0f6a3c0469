package secretvalues

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
)

// TestDataOfDraft: the values of an earlier draft are also there by the keys of the KEP, which win.
func TestDataOfDraft(t *testing.T) {
	secret := &corev1.Secret{Data: map[string][]byte{
		"COSI_PROTOCOL": []byte("S3"), "COSI_S3_ENDPOINT": []byte("http://s3"), "COSI_S3_BUCKET_ID": []byte("b"), "BUCKET_NAME": []byte("own"),
	}}
	got, err := Data(secret)
	want := map[string]string{
		"COSI_PROTOCOL": "S3", "COSI_S3_ENDPOINT": "http://s3", "COSI_S3_BUCKET_ID": "b", "BUCKET_NAME": "own", "AWS_ENDPOINT_URL": "http://s3",
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("Data: %v (-want +got):\n%s", err, diff)
	}
}
