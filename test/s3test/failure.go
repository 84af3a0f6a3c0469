package s3test

import (
	"encoding/xml"
	"errors"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go"
)

// Failure returns the S3 error code of a client's error, or "". Responses to HEAD have only a
// status.
func Failure(t *testing.T, err error) string {
	t.Helper()
	if err == nil {
		return ""
	}
	rejected, ok := errors.AsType[smithy.APIError](err)
	if !ok {
		t.Fatalf("not an answer of S3: %v", err)
	}
	return rejected.ErrorCode()
}

// Denied runs one operation of each kind on object "k", and returns the denied ones.
func Denied(t *testing.T, c *s3.Client) []string {
	t.Helper()
	bucket, key := new("photos"), new("k")
	var denied []string
	for _, call := range []struct {
		name string
		run  func() error
	}{
		{"put", func() error {
			_, err := c.PutObject(t.Context(), &s3.PutObjectInput{Bucket: bucket, Key: key, Body: strings.NewReader("x")})
			return err
		}},
		{"get", func() error {
			out, err := c.GetObject(t.Context(), &s3.GetObjectInput{Bucket: bucket, Key: key})
			if err == nil {
				err = out.Body.Close()
			}
			return err
		}},
		{"head", func() error {
			_, err := c.HeadObject(t.Context(), &s3.HeadObjectInput{Bucket: bucket, Key: key})
			return err
		}},
		{"list", func() error {
			_, err := c.ListObjectsV2(t.Context(), &s3.ListObjectsV2Input{Bucket: bucket})
			return err
		}},
		{"copy", func() error {
			_, err := c.CopyObject(t.Context(), &s3.CopyObjectInput{Bucket: bucket, Key: new("copy"), CopySource: new("photos/k")})
			return err
		}},
		{"policy", func() error {
			_, err := c.GetBucketPolicy(t.Context(), &s3.GetBucketPolicyInput{Bucket: bucket})
			return err
		}},
		{"headBucket", func() error {
			_, err := c.HeadBucket(t.Context(), &s3.HeadBucketInput{Bucket: bucket})
			return err
		}},
		{"multipart", func() error {
			_, err := c.CreateMultipartUpload(t.Context(), &s3.CreateMultipartUploadInput{Bucket: bucket, Key: new("big")})
			return err
		}},
		{"delete", func() error {
			_, err := c.DeleteObject(t.Context(), &s3.DeleteObjectInput{Bucket: bucket, Key: new("never")})
			return err
		}},
	} {
		if code := Failure(t, call.run()); code == "AccessDenied" || code == "Forbidden" {
			denied = append(denied, call.name)
		}
	}
	return denied
}

// Code returns the S3 error code of an answer, and checks the document.
func Code(t *testing.T, body string) string {
	t.Helper()
	var document struct {
		XMLName   xml.Name `xml:"Error"`
		Code      string   `xml:"Code"`
		Message   string   `xml:"Message"`
		Resource  string   `xml:"Resource"`
		RequestID string   `xml:"RequestId"`
	}
	if err := xml.Unmarshal([]byte(body), &document); err != nil {
		t.Fatalf("the answer is no S3 error: %v\n%s", err, body)
	}
	if document.Message == "" || document.Resource == "" || document.RequestID == "" {
		t.Errorf("the error lacks something: %s", body)
	}
	return document.Code
}
