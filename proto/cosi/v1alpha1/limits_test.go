package cosi_test

import (
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	cosiv1alpha1 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha1"
)

// Spec: A1-SIZE-7
func TestCheckSizes(t *testing.T) {
	text := func(n int) string { return strings.Repeat("x", n) }
	secrets := func(n int) map[string]*cosiv1alpha1.CredentialDetails {
		return map[string]*cosiv1alpha1.CredentialDetails{"s3": {Secrets: map[string]string{"key": text(n)}}}
	}
	tests := map[string]struct {
		reason  string
		message proto.Message
		want    string
	}{
		"Empty":  {reason: "Nothing is too large.", message: &cosiv1alpha1.DriverCreateBucketRequest{}},
		"String": {reason: "The limit is allowed.", message: &cosiv1alpha1.DriverCreateBucketRequest{Name: text(128)}},
		"LongString": {
			reason: "One byte more is not.", message: &cosiv1alpha1.DriverCreateBucketRequest{Name: text(129)},
			want: "name has 129 bytes, more than 128",
		},
		"Map": {
			reason: "Keys count, too.", message: &cosiv1alpha1.DriverCreateBucketRequest{Parameters: map[string]string{"ab": text(4094)}},
		},
		"LargeMap": {
			reason: "All entries count.",
			message: &cosiv1alpha1.DriverDeleteBucketRequest{
				DeleteContext: map[string]string{"a": text(2000), "b": text(2095)},
			},
			want: "the keys and values of delete_context have 4097 bytes, more than 4096",
		},
		"Nested": {
			reason: "A message in a message.",
			message: &cosiv1alpha1.DriverCreateBucketResponse{BucketInfo: &cosiv1alpha1.Protocol{
				Type: &cosiv1alpha1.Protocol_S3{S3: &cosiv1alpha1.S3{Region: text(129)}},
			}},
			want: "bucket_info.s3.region has 129 bytes, more than 128",
		},
		"Secrets": {
			reason: "A value of a map is not limited by itself.", message: &cosiv1alpha1.DriverGrantBucketAccessResponse{Credentials: secrets(1000)},
		},
		"LargeSecrets": {
			reason: "A map in a map.", message: &cosiv1alpha1.DriverGrantBucketAccessResponse{Credentials: secrets(4094)},
			want: "the keys and values of credentials.secrets have 4097 bytes, more than 4096",
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got := ""
			if err := cosiv1alpha1.CheckSizes(tc.message); err != nil {
				got = err.Error()
			}
			if got != tc.want {
				t.Errorf("%s\nCheckSizes() = %q, want %q", tc.reason, got, tc.want)
			}
		})
	}
}
