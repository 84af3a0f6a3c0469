package emulatortest_test

import (
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
)

func TestMyApp(t *testing.T) {
	emu := emulatortest.Start(t, emulator.Options{})
	claim := emulatortest.Claim(t, emu, emulatortest.Namespace(t), "photos")
	credentials := emulatortest.Access(t, emu, claim, v1alpha2.BucketAccessModeReadWrite)
	store := s3.NewFromConfig(credentials.AWSConfig(), func(o *s3.Options) { o.UsePathStyle = credentials.PathStyle })
	_, err := store.PutObject(t.Context(), &s3.PutObjectInput{
		Bucket: &credentials.Bucket, Key: aws.String("hello.txt"), Body: strings.NewReader("hello"),
	})
	if err != nil {
		t.Fatal(err)
	}
	// Start the application with the credentials.
}
