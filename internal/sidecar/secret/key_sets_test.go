package secret

import (
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

// TestKeySets: a Secret has its values under the keys of the KEP, of earlier drafts, or of both.
func TestKeySets(t *testing.T) {
	const kep, cosi = v1alpha2.SecretKeysKEP, v1alpha2.SecretKeysCOSI
	drafts := map[v1alpha2.Protocol]map[string]string{
		v1alpha2.ProtocolS3: {
			"COSI_S3_BUCKET_ID": "s3-bucket", "COSI_S3_ENDPOINT": "http://s3", "COSI_S3_REGION": "r", "COSI_S3_ADDRESSING_STYLE": "virtual",
			"COSI_S3_ACCESS_KEY_ID": "id", "COSI_S3_ACCESS_SECRET_KEY": "secret",
		},
		v1alpha2.ProtocolAzure: {
			"COSI_AZURE_STORAGE_ACCOUNT": "account", "COSI_AZURE_ACCESS_TOKEN": "token", "COSI_AZURE_EXPIRY_TIMESTAMP": "2030-01-01T00:00:00Z",
		},
		v1alpha2.ProtocolGCS: {
			"COSI_GCS_BUCKET_NAME": "gcs-bucket", "COSI_GCS_PROJECT_ID": "project", "COSI_GCS_ACCESS_ID": "hmac",
			"COSI_GCS_ACCESS_SECRET": "hmac-secret",
		},
	}
	dataOf := func(protocol v1alpha2.Protocol, keys ...v1alpha2.SecretKeySet) map[string]string {
		data, err := Access{
			Protocol: protocol, Authentication: byKey, Info: infoOfAll(), Credentials: credentialsOfAll(), CertificateAuthority: "PEM", Keys: keys,
		}.Data()
		if err != nil {
			t.Fatal(err)
		}
		values := map[string]string{}
		for key, value := range data {
			values[key] = string(value)
		}
		return values
	}
	for protocol, draft := range drafts {
		t.Run(string(protocol), func(t *testing.T) {
			draft[v1alpha2.SecretKeyProtocol], draft[v1alpha2.SecretKeyCertificateAuthority] = string(protocol), "PEM"
			none := dataOf(protocol)
			if diff := cmp.Diff(none, dataOf(protocol, kep)); diff != "" {
				t.Errorf("kep against none:\n%s", diff)
			}
			if diff := cmp.Diff(draft, dataOf(protocol, cosi)); diff != "" {
				t.Errorf("cosi (-want +got):\n%s", diff)
			}
			both := none
			maps.Copy(both, draft)
			if diff := cmp.Diff(both, dataOf(protocol, kep, cosi)); diff != "" {
				t.Errorf("kep and cosi (-want +got):\n%s", diff)
			}
		})
	}
}
