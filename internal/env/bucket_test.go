package env_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/emulator/description"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/env"
)

// TestForBucketHasAllKeys: an application finds the variables of an access Secret, whatever the protocol of the bucket.
func TestForBucketHasAllKeys(t *testing.T) {
	file := filepath.Join(t.TempDir(), "root-key.json")
	if err := os.WriteFile(file, []byte(`{"accessKeyID": "AK", "secretAccessKey": "SK"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	info := description.Info{S3Endpoint: "http://127.0.0.1:9000", AzureEndpoint: "http://127.0.0.1:9001", S3Region: "here-1", S3RootKey: file}
	for protocol, want := range map[fakedriver.Protocol][]string{
		fakedriver.ProtocolS3: {
			"AWS_ACCESS_KEY_ID", "AWS_DEFAULT_REGION", "AWS_ENDPOINT_URL", "AWS_REGION", "AWS_S3_ADDRESSING_STYLE",
			"AWS_SECRET_ACCESS_KEY", "BUCKET_NAME", "COSI_PROTOCOL",
		},
		fakedriver.ProtocolGCS: {"BUCKET_NAME", "COSI_PROTOCOL", "HMAC_ACCESS_ID", "HMAC_SECRET", "PROJECT_ID"},
		fakedriver.ProtocolAzure: {
			"AZURE_STORAGE_ACCOUNT", "AZURE_STORAGE_CONNECTION_STRING", "AZURE_STORAGE_SAS_TOKEN", "AZURE_STORAGE_SAS_TOKEN_EXPIRY_TIMESTAMP",
			"BUCKET_NAME", "COSI_PROTOCOL",
		},
	} {
		variables, err := env.ForBucket(info, fakedriver.BucketSpec{Name: "photos", Protocol: protocol})
		names := make([]string, len(variables))
		for i, v := range variables {
			names[i] = v.Name
		}
		slices.Sort(names)
		if diff := cmp.Diff(want, names); err != nil || diff != "" {
			t.Errorf("ForBucket() for %s: %v; -want, +got:\n%s", protocol, err, diff)
		}
	}
}
