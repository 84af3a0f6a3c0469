package app_test

import (
	"io"
	"os"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

// TestContainer runs the recipe in Go, with the image that `make test-containers` has loaded.
func TestContainer(t *testing.T) {
	if os.Getenv("COSI_EMU_TEST_CONTAINERS") == "" {
		t.Skip("the recipe is compiled, and not run: it needs containers and the image; run: make test-containers")
	}
	client := startS3(t.Context(), t)
	bucket, key := aws.String("photos"), aws.String("hello.txt")
	put := &s3.PutObjectInput{Bucket: bucket, Key: key, Body: strings.NewReader("hello")}
	if _, err := client.PutObject(t.Context(), put); err != nil {
		t.Fatal(err)
	}
	object, err := client.GetObject(t.Context(), &s3.GetObjectInput{Bucket: bucket, Key: key})
	if err != nil {
		t.Fatal(err)
	}
	defer object.Body.Close() //nolint:errcheck // it was read
	if content, err := io.ReadAll(object.Body); err != nil || string(content) != "hello" {
		t.Errorf("the object is %q, %v", content, err)
	}
}
