package bucketinfo_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/v1alpha1/bucketinfo"
	cosiv1alpha1 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha1"
)

func s3Secrets(change ...func(map[string]string)) map[string]string {
	secrets := map[string]string{
		cosiv1alpha1.S3AccessKeyID: "AKIA", cosiv1alpha1.S3AccessSecretKey: "hush",
		cosiv1alpha1.S3Endpoint: "https://s3.test", cosiv1alpha1.S3Region: "eu-1",
	}
	for _, f := range change {
		f(secrets)
	}
	return secrets
}

func of(protocol string, secrets map[string]string) credentials {
	return credentials{protocol: {Secrets: secrets}}
}

func TestRenderBySpecification(t *testing.T) {
	key := &v1alpha1.SecretS3{Endpoint: "https://s3.test", Region: "eu-1", AccessKeyID: "AKIA", AccessSecretKey: "hush"}
	for name, tc := range map[string]struct {
		reason string
		access bucketinfo.Access
		s3     *v1alpha1.SecretS3
		azure  *v1alpha1.SecretAzure
	}{
		"S3":         {reason: "Most drivers.", access: bucketinfo.Access{Protocol: v1alpha1.ProtocolS3, Credentials: of("s3", s3Secrets())}, s3: key},
		"LetterCase": {reason: "Some spell it so.", access: bucketinfo.Access{Protocol: v1alpha1.ProtocolS3, Credentials: of("S3", s3Secrets())}, s3: key},
		"NoProtocol": {reason: "The access does not say.", access: bucketinfo.Access{Credentials: of("s3", s3Secrets())}, s3: key},
		"UnknownToo": {reason: "Others are ignored.", access: bucketinfo.Access{Credentials: credentials{
			"s3": {Secrets: s3Secrets()}, "swift": {Secrets: map[string]string{"token": "hush"}},
		}}, s3: key},
		"Azure": {
			reason: "A token alone.",
			access: bucketinfo.Access{
				Protocol: v1alpha1.ProtocolAzure, Credentials: of("azure", map[string]string{cosiv1alpha1.AzureAccessToken: "hush"}),
			},
			azure: &v1alpha1.SecretAzure{AccessToken: "hush"},
		},
		"IAM": {
			reason: "An application has its own token.",
			access: bucketinfo.Access{Protocol: v1alpha1.ProtocolS3, Authentication: v1alpha1.AuthenticationTypeIAM},
		},
		"Longest": {
			reason: "4 KiB are allowed.",
			access: bucketinfo.Access{Credentials: of("s3", s3Secrets(func(s map[string]string) { s["own"] = strings.Repeat("x", 4000) }))}, s3: key,
		},
	} {
		t.Run(name, func(t *testing.T) {
			if tc.access.Authentication == "" {
				tc.access.Authentication = v1alpha1.AuthenticationTypeKey
			}
			tc.access.Name, tc.access.Bucket = "bc-1", "photos"
			text, err := tc.access.Render()
			if err != nil {
				t.Fatalf("%s\n%v", tc.reason, err)
			}
			want := v1alpha1.BucketInfo{
				Metadata: v1alpha1.BucketInfoMetadata{Name: "bc-1"},
				Spec: v1alpha1.BucketInfoSpec{
					BucketName: "photos", AuthenticationType: tc.access.Authentication, Protocols: []v1alpha1.Protocol{tc.access.Protocol},
					SecretS3: tc.s3, SecretAzure: tc.azure,
				},
			}
			var got v1alpha1.BucketInfo
			if err := json.Unmarshal(text, &got); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s\nBucketInfo (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

// TestRejected: credentials that applications cannot use are not written, and the error has
// none of their values.
func TestRejected(t *testing.T) {
	without := func(key string) credentials {
		return of("s3", s3Secrets(func(s map[string]string) { delete(s, key) }))
	}
	for name, tc := range map[string]struct {
		credentials credentials
		says        string
	}{
		// Spec: A1-GRANT-5
		"None":     {nil, `no accessKeyID, accessSecretKey of the credentials "s3"`},
		"NoSecret": {without(cosiv1alpha1.S3AccessSecretKey), "no accessSecretKey"},
		"NoID":     {without(cosiv1alpha1.S3AccessKeyID), "it returned [s3.accessSecretKey s3.endpoint s3.region]"},
		"Unknown":  {of("swift", s3Secrets()), "it returned [swift.accessKeyID"},
		// Spec: A1-SIZE-4
		"TooLarge": {
			of("s3", s3Secrets(func(s map[string]string) { s["own"] = strings.Repeat("x", 4097) })),
			`the credentials "s3" are too large: the keys and values of secrets have`,
		},
		"Two": {credentials{"s3": {Secrets: s3Secrets()}, "azure": {Secrets: map[string]string{"accessToken": "hush"}}}, "set spec.protocol"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := bucketinfo.Access{Authentication: v1alpha1.AuthenticationTypeKey, Credentials: tc.credentials}.Render()
			if err == nil || !strings.Contains(err.Error(), tc.says) || strings.Contains(err.Error(), "hush") {
				t.Errorf("Render() = %v, want an error with %q", err, tc.says)
			}
		})
	}
}
