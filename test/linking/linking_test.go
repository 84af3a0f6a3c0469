// Package linking links both generations of the protocol with code that others have
// generated from it. It does not start if two of them register the same name, or two
// extensions with one number.
package linking

import (
	"testing"

	"google.golang.org/protobuf/proto"

	cosiv1alpha1 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha1"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
	"github.com/cosi-emu/cosi-emu/proto/redact"
	upstream "github.com/cosi-emu/cosi-emu/test/linking/upstream"
)

// TestSameWire reads with our code the data that the code of others has written.
func TestSameWire(t *testing.T) {
	written, err := proto.Marshal(&upstream.DriverGrantBucketAccessResponse{
		AccountId:   "ba-1",
		Credentials: map[string]*upstream.CredentialDetails{"s3": {Secrets: map[string]string{"accessSecretKey": "hush"}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	got := &cosiv1alpha1.DriverGrantBucketAccessResponse{}
	if err := proto.Unmarshal(written, got); err != nil {
		t.Fatal(err)
	}
	want := &cosiv1alpha1.DriverGrantBucketAccessResponse{
		AccountId: "ba-1",
		Credentials: map[string]*cosiv1alpha1.CredentialDetails{
			cosiv1alpha1.CredentialsS3: {Secrets: map[string]string{cosiv1alpha1.S3AccessSecretKey: "hush"}},
		},
	}
	if !proto.Equal(want, got) {
		t.Errorf("read %v, want %v", got, want)
	}
}

// TestRedacts needs the options of the fields, which each generation resolves itself.
func TestRedacts(t *testing.T) {
	for name, message := range map[string]proto.Message{
		"v1alpha1": &cosiv1alpha1.CredentialDetails{Secrets: map[string]string{cosiv1alpha1.S3AccessSecretKey: "hush"}},
		"v1alpha2": &cosiv1alpha2.S3CredentialInfo{AccessSecretKey: "hush"},
	} {
		if found := redact.Secrets(message); len(found) != 1 || found[0] != "hush" {
			t.Errorf("%s: secrets %q, want the key", name, found)
		}
	}
}
