package redact_test

import (
	"testing"

	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
	"github.com/cosi-emu/cosi-emu/proto/redact"
)

func TestJSON(t *testing.T) {
	tests := map[string]struct {
		reason string
		of     *cosiv1alpha2.CredentialInfo
		want   string
	}{
		"Empty": {reason: "A message without fields.", of: &cosiv1alpha2.CredentialInfo{}, want: `{}`},
		"Secret": {
			reason: "Neither secrets nor white space.",
			of:     &cosiv1alpha2.CredentialInfo{S3: &cosiv1alpha2.S3CredentialInfo{AccessKeyId: "id", AccessSecretKey: "key"}},
			want:   `{"s3":{"accessKeyId":"id","accessSecretKey":"` + redact.Placeholder + `"}}`,
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := string(redact.JSON(tc.of)); got != tc.want {
				t.Errorf("%s\nJSON() = %s, want %s", tc.reason, got, tc.want)
			}
		})
	}
}
