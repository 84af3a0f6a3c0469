package secret

import (
	"errors"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

const (
	byKey            = v1alpha2.AuthenticationTypeKey
	byServiceAccount = v1alpha2.AuthenticationTypeServiceAccount
)

func infoOfAll() *cosiv1alpha2.ObjectProtocolAndBucketInfo {
	return &cosiv1alpha2.ObjectProtocolAndBucketInfo{
		S3: &cosiv1alpha2.S3BucketInfo{
			BucketId: "s3-bucket", Endpoint: "http://s3", Region: "r",
			AddressingStyle: &cosiv1alpha2.S3AddressingStyle{Style: cosiv1alpha2.S3AddressingStyle_VIRTUAL},
		},
		Azure: &cosiv1alpha2.AzureBucketInfo{StorageAccount: "account"},
		Gcs:   &cosiv1alpha2.GcsBucketInfo{ProjectId: "project", BucketName: "gcs-bucket"},
	}
}

func credentialsOfAll() *cosiv1alpha2.CredentialInfo {
	return &cosiv1alpha2.CredentialInfo{
		S3:    &cosiv1alpha2.S3CredentialInfo{AccessKeyId: "id", AccessSecretKey: "secret"},
		Azure: &cosiv1alpha2.AzureCredentialInfo{AccessToken: "token", ExpiryTimestamp: "2030-01-01T00:00:00Z"},
		Gcs:   &cosiv1alpha2.GcsCredentialInfo{AccessId: "hmac", AccessSecret: "hmac-secret", PrivateKeyName: "pk", ServiceAccount: "sa"},
	}
}

// KEP: SECRET-5
func TestAccessData(t *testing.T) {
	s3 := map[string]string{
		"COSI_PROTOCOL": "S3", "BUCKET_NAME": "s3-bucket", "AWS_ENDPOINT_URL": "http://s3", "AWS_DEFAULT_REGION": "r",
		"AWS_S3_ADDRESSING_STYLE": "virtual",
	}
	with := func(base map[string]string, more ...string) map[string]string {
		result := map[string]string{}
		maps.Copy(result, base)
		for i := 0; i < len(more); i += 2 {
			result[more[i]] = more[i+1]
		}
		return result
	}
	azure := map[string]string{"COSI_PROTOCOL": "Azure", "AZURE_STORAGE_ACCOUNT": "account"}
	gcs := map[string]string{"COSI_PROTOCOL": "GCS", "PROJECT_ID": "project", "BUCKET_NAME": "gcs-bucket"}
	tests := map[string]struct {
		reason         string
		protocol       v1alpha2.Protocol
		authentication v1alpha2.AuthenticationType
		without        func(*cosiv1alpha2.ObjectProtocolAndBucketInfo, *cosiv1alpha2.CredentialInfo)
		want           map[string]string
		missing        string
	}{
		// KEP: SECRET-S3-1, SECRET-S3-2, SECRET-S3-3, SECRET-S3-4, SECRET-S3-5, SECRET-S3-6, SECRET-S3-7
		"S3Key": {
			protocol: v1alpha2.ProtocolS3, authentication: byKey,
			want: with(s3, "AWS_ACCESS_KEY_ID", "id", "AWS_SECRET_ACCESS_KEY", "secret"),
		},
		// KEP: SECRET-S3-5, SECRET-S3-6
		"S3ServiceAccount": {
			reason:   "unrequested keys are not written",
			protocol: v1alpha2.ProtocolS3, authentication: byServiceAccount, want: s3,
		},
		// KEP: SECRET-AZURE-1, SECRET-AZURE-2
		"AzureKey": {
			protocol: v1alpha2.ProtocolAzure, authentication: byKey,
			want: with(azure, "AZURE_STORAGE_SAS_TOKEN", "token", "AZURE_STORAGE_SAS_TOKEN_EXPIRY_TIMESTAMP", "2030-01-01T00:00:00Z"),
		},
		// KEP: SECRET-AZURE-3
		"AzureKeyForEver": {
			reason:   "the KEP: empty if unset",
			protocol: v1alpha2.ProtocolAzure, authentication: byKey,
			without: func(_ *cosiv1alpha2.ObjectProtocolAndBucketInfo, c *cosiv1alpha2.CredentialInfo) {
				c.Azure.ExpiryTimestamp = ""
			},
			want: with(azure, "AZURE_STORAGE_SAS_TOKEN", "token", "AZURE_STORAGE_SAS_TOKEN_EXPIRY_TIMESTAMP", ""),
		},
		// KEP: SECRET-AZURE-2
		"AzureServiceAccount": {protocol: v1alpha2.ProtocolAzure, authentication: byServiceAccount, want: azure},
		// KEP: SECRET-GCS-1, SECRET-GCS-2, SECRET-GCS-4, SECRET-GCS-6, SECRET-GCS-7
		"GCSKey": {
			protocol: v1alpha2.ProtocolGCS, authentication: byKey,
			want: with(gcs, "HMAC_ACCESS_ID", "hmac", "HMAC_SECRET", "hmac-secret"),
		},
		// KEP: SECRET-GCS-3, SECRET-GCS-4, SECRET-GCS-5
		"GCSServiceAccount": {
			protocol: v1alpha2.ProtocolGCS, authentication: byServiceAccount,
			want: with(gcs, "PRIVATE_KEY_ID", "pk", "SERVICE_ACCOUNT_NAME", "sa"),
		},
		// KEP: SECRET-2
		"S3NoRegion": {
			protocol: v1alpha2.ProtocolS3, authentication: byKey, missing: "AWS_DEFAULT_REGION",
			without: func(i *cosiv1alpha2.ObjectProtocolAndBucketInfo, _ *cosiv1alpha2.CredentialInfo) { i.S3.Region = "" },
		},
		"S3NoStyle": {
			protocol: v1alpha2.ProtocolS3, authentication: byKey, missing: "AWS_S3_ADDRESSING_STYLE",
			without: func(i *cosiv1alpha2.ObjectProtocolAndBucketInfo, _ *cosiv1alpha2.CredentialInfo) {
				i.S3.AddressingStyle = nil
			},
		},
		// KEP: SECRET-S3-4
		"S3UnknownStyle": {
			protocol: v1alpha2.ProtocolS3, authentication: byKey, missing: "AWS_S3_ADDRESSING_STYLE",
			without: func(i *cosiv1alpha2.ObjectProtocolAndBucketInfo, _ *cosiv1alpha2.CredentialInfo) {
				i.S3.AddressingStyle.Style = 99
			},
		},
		"S3NoInfo": {
			protocol: v1alpha2.ProtocolS3, authentication: byServiceAccount, missing: "AWS_DEFAULT_REGION",
			without: func(i *cosiv1alpha2.ObjectProtocolAndBucketInfo, _ *cosiv1alpha2.CredentialInfo) { i.S3 = nil },
		},
		"S3NoCredentials": {
			protocol: v1alpha2.ProtocolS3, authentication: byKey, missing: "AWS_ACCESS_KEY_ID",
			without: func(_ *cosiv1alpha2.ObjectProtocolAndBucketInfo, c *cosiv1alpha2.CredentialInfo) { c.S3 = nil },
		},
		"AzureNoToken": {
			protocol: v1alpha2.ProtocolAzure, authentication: byKey, missing: "AZURE_STORAGE_SAS_TOKEN",
			without: func(_ *cosiv1alpha2.ObjectProtocolAndBucketInfo, c *cosiv1alpha2.CredentialInfo) {
				c.Azure.AccessToken = ""
			},
		},
		"GCSNoHMAC": {
			protocol: v1alpha2.ProtocolGCS, authentication: byKey, missing: "HMAC_SECRET",
			without: func(_ *cosiv1alpha2.ObjectProtocolAndBucketInfo, c *cosiv1alpha2.CredentialInfo) {
				c.Gcs.AccessSecret = ""
			},
		},
		"GCSNoServiceAccount": {
			protocol: v1alpha2.ProtocolGCS, authentication: byServiceAccount, missing: "PRIVATE_KEY_ID",
			without: func(_ *cosiv1alpha2.ObjectProtocolAndBucketInfo, c *cosiv1alpha2.CredentialInfo) { c.Gcs = nil },
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			info, credentials := infoOfAll(), credentialsOfAll()
			if tc.without != nil {
				tc.without(info, credentials)
			}
			data, err := Access{Protocol: tc.protocol, Authentication: tc.authentication, Info: info, Credentials: credentials}.Data()
			missing, _ := errors.AsType[*MissingError](err)
			if missing == nil {
				missing = &MissingError{}
			}
			if missing.Key != tc.missing {
				t.Fatalf("error %v, want one about %q", err, tc.missing)
			}
			var got map[string]string
			for key, value := range data {
				got = with(got, key, string(value))
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

func TestEmptyAccessData(t *testing.T) {
	if _, err := (Access{Protocol: v1alpha2.ProtocolS3, Authentication: byKey}).Data(); err == nil {
		t.Error("no error")
	}
}

func TestErrorsShowNoValues(t *testing.T) {
	info, credentials := infoOfAll(), credentialsOfAll()
	credentials.S3.AccessSecretKey = strings.Repeat("SECRET", maxValueLength)
	_, err := Access{Protocol: v1alpha2.ProtocolS3, Authentication: byKey, Info: info, Credentials: credentials}.Data()
	if _, ok := errors.AsType[*TooLongError](err); !ok || strings.Contains(err.Error(), "SECRETSECRET") {
		t.Errorf("error %.200v", err)
	}
}

// KEP: API-BUCKET-STATUS-5
func TestBucketInfo(t *testing.T) {
	tests := map[string]struct {
		reason    string
		info      *cosiv1alpha2.ObjectProtocolAndBucketInfo
		protocols []v1alpha2.Protocol
		want      map[string]string
	}{
		// KEP: SECRET-1, GRPC-CREATEBUCKET-5
		"Empty": {
			reason:    "a driver need not say anything of a bucket",
			info:      &cosiv1alpha2.ObjectProtocolAndBucketInfo{S3: &cosiv1alpha2.S3BucketInfo{}},
			protocols: []v1alpha2.Protocol{v1alpha2.ProtocolS3},
			want:      map[string]string{"COSI_PROTOCOL": "S3"},
		},
		// KEP: SECRET-5
		"Several": {
			reason:    "the first protocol has BUCKET_NAME",
			info:      infoOfAll(),
			protocols: []v1alpha2.Protocol{v1alpha2.ProtocolS3, v1alpha2.ProtocolAzure, v1alpha2.ProtocolGCS},
			want: map[string]string{
				"COSI_PROTOCOL": "S3,Azure,GCS", "BUCKET_NAME": "s3-bucket", "AWS_ENDPOINT_URL": "http://s3",
				"AWS_DEFAULT_REGION": "r", "AWS_S3_ADDRESSING_STYLE": "virtual", "AZURE_STORAGE_ACCOUNT": "account",
				"PROJECT_ID": "project",
			},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := BucketInfo(tc.info, tc.protocols)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}
