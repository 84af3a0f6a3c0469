package bucketinfo_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/v1alpha1/bucketinfo"
	cosiv1alpha1 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha1"
)

type credentials = map[string]*cosiv1alpha1.CredentialDetails

func TestRender(t *testing.T) {
	s3 := &cosiv1alpha1.CredentialDetails{Secrets: map[string]string{
		"accessKeyID": "AKIA", "accessSecretKey": "secretword", "endpoint": "https://s3", "region": "eu-1",
	}}
	azure := func(expiry string) *cosiv1alpha1.CredentialDetails {
		return &cosiv1alpha1.CredentialDetails{Secrets: map[string]string{"accessToken": "secretword", "expiryTs": expiry}}
	}
	const (
		head    = `{"metadata":{"name":"bc-1","creationTimestamp":null},"spec":{"bucketName":"bucket-1","authenticationType":`
		s3Spec  = `"secretS3":{"endpoint":"https://s3","region":"eu-1","accessKeyID":"AKIA","accessSecretKey":"secretword"},"secretAzure":null}}`
		azured  = `"secretS3":null,"secretAzure":{"accessToken":"secretword","expiryTimeStamp":`
		ofS3    = head + `"Key","protocols":["S3"],`
		ofAzure = head + `"Key","protocols":["Azure"],`
	)
	for name, tc := range map[string]struct {
		protocol    v1alpha1.Protocol
		iam         bool
		credentials credentials
		want        string
	}{
		"S3":                    {protocol: "S3", credentials: credentials{"s3": s3}, want: ofS3 + s3Spec},
		"letter case":           {protocol: "S3", credentials: credentials{"S3": s3}, want: ofS3 + s3Spec},
		"more protocols":        {protocol: "S3", credentials: credentials{"azure": azure(""), "s3": s3, "swift": s3}, want: ofS3 + s3Spec},
		"no protocol":           {credentials: credentials{"s3": s3, "swift": s3}, want: head + `"Key","protocols":[""],` + s3Spec},
		"as the user spells it": {protocol: "s3", credentials: credentials{"s3": s3}, want: head + `"Key","protocols":["s3"],` + s3Spec},
		"of two, as the user spells it": {
			protocol: "azure", credentials: credentials{"s3": s3, "azure": azure("")},
			want: head + `"Key","protocols":["azure"],` + azured + `null}}}`,
		},
		"unknown protocol":  {protocol: "swift", credentials: credentials{"s3": s3}, want: head + `"Key","protocols":["swift"],` + s3Spec},
		"GCS by keys of S3": {protocol: "GCS", credentials: credentials{"s3": s3}, want: head + `"Key","protocols":["GCS"],` + s3Spec},
		"GCS": {
			protocol: "GCS", credentials: credentials{"gcs": s3}, want: `no accessKeyID, accessSecretKey of the credentials "s3"`,
		},
		"other protocol":    {protocol: "Azure", credentials: credentials{"s3": s3}, want: ofAzure + s3Spec},
		"two, none of them": {protocol: "swift", credentials: credentials{"s3": s3, "azure": azure("")}, want: "set spec.protocol"},
		"two protocols":     {credentials: credentials{"s3": s3, "azure": azure("")}, want: "set spec.protocol"},
		"Azure":             {protocol: "Azure", credentials: credentials{"azure": azure("")}, want: ofAzure + azured + `null}}}`},
		"Azure by itself":   {credentials: credentials{"Azure": azure("")}, want: head + `"Key","protocols":[""],` + azured + `null}}}`},
		"Go's time": {
			protocol: "Azure", credentials: credentials{"azure": azure("2026-01-02 03:04:05.9 +0100 CET m=+1.5")},
			want: ofAzure + azured + `"2026-01-02T02:04:05Z"}}}`,
		},
		"ISO 8601": {
			protocol: "Azure", credentials: credentials{"azure": azure("2026-01-02T03:04:05Z")},
			want: ofAzure + azured + `"2026-01-02T03:04:05Z"}}}`,
		},
		"bad time": {protocol: "Azure", credentials: credentials{"azure": azure("soon")}, want: "expiryTs"},
		// Spec: A1-GRANT-5
		"nothing": {protocol: "S3", want: "it returned []"},
		"half": {
			protocol: "S3", credentials: credentials{"s3": {Secrets: map[string]string{"accessKeyID": "AKIA", "secret": "secretword"}}},
			want: "no accessSecretKey of the credentials \"s3\", which applications need; it returned [s3.accessKeyID s3.secret]",
		},
		"4 KiB": {
			protocol: "S3", credentials: credentials{"s3": {Secrets: map[string]string{
				"accessKeyID": "AKIA", "accessSecretKey": "secretword", "endpoint": "https://s3", "region": "eu-1", "own": strings.Repeat("x", 4025),
			}}},
			want: ofS3 + s3Spec,
		},
		// Spec: A1-SIZE-4
		"too large": {
			protocol: "S3", credentials: credentials{"s3": {Secrets: map[string]string{"own": "secretword" + strings.Repeat("x", 4084)}}},
			want: `the credentials "s3" are too large: the keys and values of secrets have 4097 bytes`,
		},
		"no endpoint": {
			protocol:    "S3",
			credentials: credentials{"s3": {Secrets: map[string]string{"accessKeyID": "AKIA", "accessSecretKey": "secretword"}}},
			want:        "no endpoint",
		},
		"nil":               {protocol: "S3", credentials: credentials{"s3": nil}, want: "it returned []"},
		"IAM":               {protocol: "S3", iam: true, want: head + `"IAM","protocols":["S3"],"secretS3":null,"secretAzure":null}}`},
		"IAM with endpoint": {protocol: "S3", iam: true, credentials: credentials{"s3": s3}, want: head + `"IAM","protocols":["S3"],` + s3Spec},
	} {
		t.Run(name, func(t *testing.T) {
			access := bucketinfo.Access{
				Name: "bc-1", Bucket: "bucket-1", Protocol: tc.protocol,
				Authentication: v1alpha1.AuthenticationTypeKey, Credentials: tc.credentials,
			}
			if tc.iam {
				access.Authentication = v1alpha1.AuthenticationTypeIAM
			}
			got, _, err := access.Render()
			if err != nil {
				if !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "secretword") {
					t.Errorf("error %v, want %q and no secret", err, tc.want)
				}
				return
			}
			if diff := cmp.Diff(tc.want, string(got)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}
