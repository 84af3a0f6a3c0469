package files_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/internal/node/files"
)

func secret(data map[string]string) *corev1.Secret {
	s := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "photos"}, Data: map[string][]byte{}}
	for key, value := range data {
		s.Data[key] = []byte(value)
	}
	return s
}

const (
	infoS3 = `{"metadata":{"name":"bc-1","creationTimestamp":null},"spec":{"bucketName":"b","authenticationType":"Key","protocols":["S3"],` +
		`"secretS3":{"endpoint":"http://s3","region":"r","accessKeyID":"id","accessSecretKey":"key"},"secretAzure":null}}`
	config = "[default]\nregion = r\nendpoint_url = http://s3\ns3 =\n  addressing_style = path\n"
)

// s3Files are the files of a bucket in S3.
func s3Files() map[string]string {
	return map[string]string{
		"COSI_PROTOCOL": "S3", "BucketInfo": infoS3,
		"BUCKET_NAME": "b", "AWS_ENDPOINT_URL": "http://s3", "AWS_DEFAULT_REGION": "r", "AWS_S3_ADDRESSING_STYLE": "path",
		"AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "key",
		"COSI_S3_BUCKET_ID": "b", "COSI_S3_ENDPOINT": "http://s3", "COSI_S3_REGION": "r", "COSI_S3_ADDRESSING_STYLE": "path",
		"COSI_S3_ACCESS_KEY_ID": "id", "COSI_S3_ACCESS_SECRET_KEY": "key",
		"aws/credentials": "[default]\naws_access_key_id = id\naws_secret_access_key = key\n",
		"aws/config":      config,
	}
}

func TestBucket(t *testing.T) {
	kep := map[string]string{
		"COSI_PROTOCOL": "S3", "BUCKET_NAME": "b", "AWS_ENDPOINT_URL": "http://s3", "AWS_DEFAULT_REGION": "r",
		"AWS_S3_ADDRESSING_STYLE": "path", "AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "key",
	}
	draft := map[string]string{
		"COSI_PROTOCOL": "S3", "COSI_S3_BUCKET_ID": "b", "COSI_S3_ENDPOINT": "http://s3", "COSI_S3_REGION": "r",
		"COSI_S3_ADDRESSING_STYLE": "path", "COSI_S3_ACCESS_KEY_ID": "id", "COSI_S3_ACCESS_SECRET_KEY": "key",
	}
	tests := map[string]struct {
		secret map[string]string
		reason string
		want   map[string]string
	}{
		"KEP":      {secret: kep, reason: "the keys of the draft and the BucketInfo are added", want: s3Files()},
		"Draft":    {secret: draft, reason: "the keys of the KEP and the BucketInfo are added", want: s3Files()},
		"V1alpha1": {secret: map[string]string{"BucketInfo": infoS3}, reason: "the flat keys are added", want: s3Files()},
		"ServiceAccount": {
			secret: map[string]string{"COSI_PROTOCOL": "S3", "BUCKET_NAME": "b", "AWS_ENDPOINT_URL": "http://s3"},
			reason: "there are no credentials to write",
			want: map[string]string{
				"COSI_PROTOCOL": "S3", "BUCKET_NAME": "b", "COSI_S3_BUCKET_ID": "b", "AWS_ENDPOINT_URL": "http://s3", "COSI_S3_ENDPOINT": "http://s3",
				"BucketInfo": `{"metadata":{"name":"bc-1","creationTimestamp":null},"spec":{"bucketName":"b","authenticationType":"IAM",` +
					`"protocols":["S3"],"secretS3":{"endpoint":"http://s3","region":"","accessKeyID":"","accessSecretKey":""},"secretAzure":null}}`,
				"aws/config": "[default]\nendpoint_url = http://s3\n",
			},
		},
		"Azure": {
			secret: map[string]string{
				"COSI_PROTOCOL": "Azure", "AZURE_STORAGE_ACCOUNT": "http://a/b", "AZURE_STORAGE_SAS_TOKEN": "sas",
				"AZURE_STORAGE_SAS_TOKEN_EXPIRY_TIMESTAMP": "2030-01-02T03:04:05Z",
			},
			reason: "it has no files of AWS",
			want: map[string]string{
				"COSI_PROTOCOL": "Azure", "AZURE_STORAGE_ACCOUNT": "http://a/b", "COSI_AZURE_STORAGE_ACCOUNT": "http://a/b",
				"AZURE_STORAGE_SAS_TOKEN": "sas", "COSI_AZURE_ACCESS_TOKEN": "sas",
				"AZURE_STORAGE_SAS_TOKEN_EXPIRY_TIMESTAMP": "2030-01-02T03:04:05Z", "COSI_AZURE_EXPIRY_TIMESTAMP": "2030-01-02T03:04:05Z",
				"BucketInfo": `{"metadata":{"name":"bc-1","creationTimestamp":null},"spec":{"bucketName":"","authenticationType":"Key",` +
					`"protocols":["Azure"],"secretS3":null,"secretAzure":{"accessToken":"sas","expiryTimeStamp":"2030-01-02T03:04:05Z"}}}`,
			},
		},
		"GCS": {
			secret: map[string]string{"COSI_PROTOCOL": "GCS", "BUCKET_NAME": "b", "HMAC_ACCESS_ID": "id", "HMAC_SECRET": "key"},
			reason: "BucketInfo has no credentials for GCS",
			want: map[string]string{
				"COSI_PROTOCOL": "GCS", "BUCKET_NAME": "b", "COSI_GCS_BUCKET_NAME": "b", "HMAC_ACCESS_ID": "id", "COSI_GCS_ACCESS_ID": "id",
				"HMAC_SECRET": "key", "COSI_GCS_ACCESS_SECRET": "key",
				"BucketInfo": `{"metadata":{"name":"bc-1","creationTimestamp":null},"spec":{"bucketName":"b","authenticationType":"Key",` +
					`"protocols":["GCP"],"secretS3":null,"secretAzure":null}}`,
			},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := files.Bucket(secret(tc.secret), "1")
			if err != nil {
				t.Fatal(err)
			}
			texts := map[string]string{}
			for path, data := range got {
				texts[path] = string(data)
			}
			if diff := cmp.Diff(tc.want, texts); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

// TestBroken: the error names the key, and has nothing of the value.
func TestBroken(t *testing.T) {
	tests := map[string]struct {
		secret map[string]string
		want   string
	}{
		"LineBreak": {
			secret: map[string]string{"COSI_PROTOCOL": "S3", "AWS_SECRET_ACCESS_KEY": "hidden\n[other]"},
			want:   "Secret shop/photos: the value of AWS_SECRET_ACCESS_KEY has a line break",
		},
		"BucketInfo": {secret: map[string]string{"BucketInfo": "{hidden"}, want: "BucketInfo in Secret shop/photos"},
		"Expiry": {
			secret: map[string]string{"COSI_PROTOCOL": "Azure", "AZURE_STORAGE_SAS_TOKEN_EXPIRY_TIMESTAMP": "hidden"},
			want:   "AZURE_STORAGE_SAS_TOKEN_EXPIRY_TIMESTAMP is no time",
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := files.Bucket(secret(tc.secret), "1")
			if err == nil || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "hidden") {
				t.Errorf("the error is %v, want %q", err, tc.want)
			}
		})
	}
}
