package integration_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
)

// TestAccess uses the credentials of two accesses, with and without TLS: one can write, and the other only
// read.
func TestAccess(t *testing.T) {
	t.Parallel()
	for name, options := range map[string]emulator.Options{"Plain": {}, "TLS": {TLS: true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			emu := emulatortest.Start(t, options)
			claim := emulatortest.Claim(t, emu, emulatortest.Namespace(t), "photos")
			put := func(c emulatortest.Credentials) error {
				store := s3.NewFromConfig(c.AWSConfig(), func(o *s3.Options) { o.UsePathStyle = c.PathStyle })
				_, err := store.PutObject(t.Context(), &s3.PutObjectInput{Bucket: &c.Bucket, Key: aws.String("a"), Body: strings.NewReader("b")})
				return err
			}
			writer := emulatortest.Access(t, emu, claim, v1alpha2.BucketAccessModeReadWrite)
			if err := put(writer); err != nil || (writer.CertificateAuthority != "") != options.TLS {
				t.Errorf("PutObject with ReadWrite: %v; certificate authority %q", err, writer.CertificateAuthority)
			}
			reader := emulatortest.Access(t, emu, claim, v1alpha2.BucketAccessModeReadOnly)
			if failed, ok := errors.AsType[smithy.APIError](put(reader)); !ok || failed.ErrorCode() != "AccessDenied" {
				t.Errorf("PutObject with ReadOnly: %v, want AccessDenied", failed)
			}
			store := s3.NewFromConfig(writer.AWSConfig(), func(o *s3.Options) { o.UsePathStyle = writer.PathStyle })
			if _, err := store.DeleteObject(t.Context(), &s3.DeleteObjectInput{Bucket: &writer.Bucket, Key: aws.String("a")}); err != nil {
				t.Error(err)
			}
		})
	}
}
