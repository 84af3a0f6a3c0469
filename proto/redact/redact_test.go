package redact_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/testing/protocmp"

	cosiv1alpha1 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha1"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
	"github.com/cosi-emu/cosi-emu/proto/redact"
)

func TestMessage(t *testing.T) {
	tests := map[string]struct {
		reason string
		in     proto.Message
		want   proto.Message
	}{
		"S3Secret": {
			reason: "The secret key goes, what identifies it stays.",
			in: &cosiv1alpha2.DriverGrantBucketAccessResponse{Credentials: &cosiv1alpha2.CredentialInfo{
				S3: &cosiv1alpha2.S3CredentialInfo{AccessKeyId: "AKIA", AccessSecretKey: "hush"},
			}},
			want: &cosiv1alpha2.DriverGrantBucketAccessResponse{Credentials: &cosiv1alpha2.CredentialInfo{
				S3: &cosiv1alpha2.S3CredentialInfo{AccessKeyId: "AKIA", AccessSecretKey: redact.Placeholder},
			}},
		},
		"AzureToken": {
			reason: "A shared access signature is a secret as a whole.",
			in: &cosiv1alpha2.CredentialInfo{
				Azure: &cosiv1alpha2.AzureCredentialInfo{AccessToken: "hush", ExpiryTimestamp: "2030-01-01T00:00:00Z"},
			},
			want: &cosiv1alpha2.CredentialInfo{
				Azure: &cosiv1alpha2.AzureCredentialInfo{AccessToken: redact.Placeholder, ExpiryTimestamp: "2030-01-01T00:00:00Z"},
			},
		},
		"Empty": {
			reason: "An empty secret stays empty, so that one can see that it is missing.",
			in:     &cosiv1alpha2.CredentialInfo{S3: &cosiv1alpha2.S3CredentialInfo{AccessKeyId: "AKIA"}},
			want:   &cosiv1alpha2.CredentialInfo{S3: &cosiv1alpha2.S3CredentialInfo{AccessKeyId: "AKIA"}},
		},
		// Spec: A1-SECRET-1
		"V1Alpha1": {
			reason: "A map has secrets, and what is no secret.",
			in: &cosiv1alpha1.DriverGrantBucketAccessResponse{Credentials: map[string]*cosiv1alpha1.CredentialDetails{
				"s3": {Secrets: map[string]string{"accessKeyID": "AKIA", "accessSecretKey": "hush", "region": "r", "own": "hush", "none": ""}},
			}},
			want: &cosiv1alpha1.DriverGrantBucketAccessResponse{Credentials: map[string]*cosiv1alpha1.CredentialDetails{
				"s3": {Secrets: map[string]string{
					"accessKeyID": "AKIA", "accessSecretKey": redact.Placeholder, "region": "r", "own": redact.Placeholder, "none": "",
				}},
			}},
		},
		"NothingSecret": {
			reason: "Maps and lists without secrets are left as they are.",
			in: &cosiv1alpha2.DriverCreateBucketRequest{
				BucketId: "b", Parameters: map[string]string{"k": "v"},
				Protocols: []*cosiv1alpha2.ObjectProtocol{{Type: cosiv1alpha2.ObjectProtocol_S3}},
			},
			want: &cosiv1alpha2.DriverCreateBucketRequest{
				BucketId: "b", Parameters: map[string]string{"k": "v"},
				Protocols: []*cosiv1alpha2.ObjectProtocol{{Type: cosiv1alpha2.ObjectProtocol_S3}},
			},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			before := proto.Clone(tc.in)
			got := redact.Message(tc.in)
			if diff := cmp.Diff(tc.want, got, protocmp.Transform()); diff != "" {
				t.Errorf("%s\nMessage(): -want, +got:\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(before, tc.in, protocmp.Transform()); diff != "" {
				t.Errorf("the original was changed: -before, +after:\n%s", diff)
			}
		})
	}
}

func TestNil(t *testing.T) {
	if got := redact.Message(nil); got != nil {
		t.Errorf("Message(nil) = %v", got)
	}
	var typed *cosiv1alpha2.CredentialInfo
	if got := redact.Message(typed); got.ProtoReflect().IsValid() {
		t.Errorf("Message(typed nil) = %v", got)
	}
}

// TestEverySecretIsMarked checks the .proto: a credential field whose name indicates a secret must
// have the option.
func TestEverySecretIsMarked(t *testing.T) {
	messages := cosiv1alpha2.File_cosi_v1alpha2_cosi_proto.Messages()
	marked := 0
	for i := range messages.Len() {
		message := messages.Get(i)
		if !strings.HasSuffix(string(message.Name()), "CredentialInfo") {
			continue
		}
		fields := message.Fields()
		for j := range fields.Len() {
			field := fields.Get(j)
			name := string(field.Name())
			looksSecret := strings.Contains(name, "secret") || strings.Contains(name, "token")
			if field.Kind() != protoreflect.StringKind || !looksSecret {
				continue
			}
			marked++
			if marked, ok := proto.GetExtension(field.Options(), cosiv1alpha2.E_CosiSecret).(bool); !ok || !marked {
				t.Errorf("%s is not marked cosi_secret", field.FullName())
			}
		}
	}
	if marked == 0 {
		t.Error("no credential fields found, the test looks in the wrong place")
	}
}

// TestSecretsOfUnknownKeys: drivers of v1alpha1 return values under keys of their own.
func TestSecretsOfUnknownKeys(t *testing.T) {
	response := &cosiv1alpha1.DriverGrantBucketAccessResponse{AccountId: "acc", Credentials: map[string]*cosiv1alpha1.CredentialDetails{
		"s3": {Secrets: map[string]string{
			"endpoint": "https://s3.example.com", "accessSecretKey": "photos", // the driver's mistake
			"bucketName": "photos", "host": "s3.example.com", "userName": "acc", "password": "hush",
		}},
	}}
	request := &cosiv1alpha1.DriverGrantBucketAccessRequest{BucketId: "region/photos"}
	for name, tc := range map[string]struct {
		got, want []string
	}{
		"Request":    {redact.Secrets(response, request), []string{"hush", "photos"}},
		"No request": {redact.Secrets(response), []string{"hush", "photos", "photos"}},
	} {
		slices.Sort(tc.got)
		if diff := cmp.Diff(tc.want, tc.got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
