package protocol_test

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/smithy-go"
	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/gcs"
)

// amazon returns Amazon's client for the XML API, with a key.
func (f *fixture) amazon(t *testing.T, c fakedriver.Credentials) *s3.Client {
	t.Helper()
	return f.amazonIn(t, c, "auto")
}

func (f *fixture) amazonIn(t *testing.T, c fakedriver.Credentials, region string) *s3.Client {
	t.Helper()
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	return s3.New(s3.Options{
		BaseEndpoint: &f.address, Region: region, UsePathStyle: true, HTTPClient: &http.Client{Transport: transport},
		Credentials: credentials.NewStaticCredentialsProvider(c.AccessKeyID, c.SecretAccessKey, ""),
	})
}

// TestAmazonClient uses a bucket with Amazon's client.
func TestAmazonClient(t *testing.T) {
	f := serve(t, gcs.Options{})
	key := f.account(t, "app", all("photos"))
	c, bucket := f.amazon(t, key), aws.String("photos")
	put, err := c.PutObject(t.Context(), &s3.PutObjectInput{
		Bucket: bucket, Key: aws.String("a b/ü"), Body: strings.NewReader("content"), ContentType: aws.String("text/x"),
		Metadata: map[string]string{"color": "red"},
	})
	if err != nil || aws.ToString(put.ETag) != `"9a0364b9e99bb480dd25e1f0284c8555"` {
		t.Fatalf("PutObject() = %+v, %v", put, err)
	}
	got, err := c.GetObject(t.Context(), &s3.GetObjectInput{Bucket: bucket, Key: aws.String("a b/ü"), Range: aws.String("bytes=0-3")})
	if err != nil {
		t.Fatal(err)
	}
	if content := contentOf(t, got); content != "cont" {
		t.Errorf("GetObject() reads %q", content)
	}
	if diff := cmp.Diff(map[string]string{"color": "red"}, got.Metadata); diff != "" || aws.ToString(got.ContentType) != "text/x" {
		t.Errorf("type %s; metadata: -want, +got:\n%s", aws.ToString(got.ContentType), diff)
	}
	if _, err := c.CopyObject(t.Context(), &s3.CopyObjectInput{
		Bucket: bucket, Key: aws.String("copy"), CopySource: aws.String("photos/a%20b/%C3%BC"),
	}); err != nil {
		t.Errorf("CopyObject(): %v", err)
	}
	f.multipart(t, c, "large")
	deleteAll(t, c)
}

func deleteAll(t *testing.T, c *s3.Client) {
	t.Helper()
	bucket := aws.String("photos")
	list, err := c.ListObjectsV2(t.Context(), &s3.ListObjectsV2Input{Bucket: bucket, Delimiter: aws.String("/")})
	if err != nil || len(list.Contents) != 2 || len(list.CommonPrefixes) != 1 {
		t.Errorf("ListObjectsV2() = %+v, %v", list, err)
	}
	deleted, err := c.DeleteObjects(t.Context(), &s3.DeleteObjectsInput{Bucket: bucket, Delete: &types.Delete{
		Objects: []types.ObjectIdentifier{{Key: aws.String("copy")}, {Key: aws.String("a b/ü")}, {Key: aws.String("large")}},
	}})
	if err != nil || len(deleted.Deleted) != 3 {
		t.Errorf("DeleteObjects() = %+v, %v", deleted, err)
	}
	_, err = c.GetObject(t.Context(), &s3.GetObjectInput{Bucket: bucket, Key: aws.String("copy")})
	if failed, ok := errors.AsType[smithy.APIError](err); !ok || failed.ErrorCode() != "NoSuchKey" {
		t.Errorf("GetObject() of nothing: %v", err)
	}
	_, err = c.DeleteObject(t.Context(), &s3.DeleteObjectInput{Bucket: bucket, Key: aws.String("copy")})
	if failed, ok := errors.AsType[smithy.APIError](err); !ok || failed.ErrorCode() != "NoSuchKey" {
		t.Errorf("DeleteObject() of nothing: %v", err)
	}
}

// multipart uploads an object in two parts, and compares it in both APIs.
func (f *fixture) multipart(t *testing.T, c *s3.Client, name string) {
	t.Helper()
	bucket, key := aws.String("photos"), aws.String(name)
	upload, err := c.CreateMultipartUpload(t.Context(), &s3.CreateMultipartUploadInput{Bucket: bucket, Key: key})
	if err != nil {
		t.Fatal(err)
	}
	parts := [][]byte{bytes.Repeat([]byte("x"), 5<<20), []byte("end")}
	var completed types.CompletedMultipartUpload
	for i, part := range parts {
		number := aws.Int32(int32(i + 1))
		done, err := c.UploadPart(t.Context(), &s3.UploadPartInput{
			Bucket: bucket, Key: key, UploadId: upload.UploadId, PartNumber: number, Body: bytes.NewReader(part),
		})
		if err != nil {
			t.Fatal(err)
		}
		completed.Parts = append(completed.Parts, types.CompletedPart{PartNumber: number, ETag: done.ETag, ChecksumCRC32: done.ChecksumCRC32})
	}
	uploads, err := c.ListMultipartUploads(t.Context(), &s3.ListMultipartUploadsInput{Bucket: bucket})
	if err != nil || len(uploads.Uploads) != 1 {
		t.Errorf("ListMultipartUploads() = %+v, %v", uploads, err)
	}
	if _, err := c.CompleteMultipartUpload(t.Context(), &s3.CompleteMultipartUploadInput{
		Bucket: bucket, Key: key, UploadId: upload.UploadId, MultipartUpload: &completed,
	}); err != nil {
		t.Fatal(err)
	}
	got, err := c.GetObject(t.Context(), &s3.GetObjectInput{Bucket: bucket, Key: key})
	if err != nil {
		t.Fatal(err)
	}
	if content := contentOf(t, got); content != string(bytes.Join(parts, nil)) {
		t.Errorf("the object of %d bytes is another one", len(content))
	}
}

// contentOf reads an object that Amazon's client has opened.
func contentOf(t *testing.T, got *s3.GetObjectOutput) string {
	t.Helper()
	content, err := io.ReadAll(got.Body)
	if err := errors.Join(err, got.Body.Close()); err != nil {
		t.Error(err)
	}
	return string(content)
}

// TestBothAPIs writes objects by one API, and reads them by the other.
func TestBothAPIs(t *testing.T) {
	f := serve(t, gcs.Options{})
	key := f.account(t, "app", all("photos"))
	at := time.Now().UTC()
	headers := map[string]string{
		"content-type": "text/x", "x-goog-meta-color": "red", "x-goog-storage-class": "NEARLINE", "x-goog-custom-time": "2026-01-02T03:04:05Z",
		"x-goog-if-generation-match": "0", "x-goog-hash": "crc32c=Ya91Mw==,md5=mgNkuembtIDdJeHwKEyFVQ==",
	}
	path := "/photos/a%20%2B%26b"
	put := request{method: "PUT", path: f.signedURL(key, "PUT", path, at, nil, headers), body: "content", header: headerOf(headers)}
	status, answer, body := f.do(t, put, "")
	if status != ok || answer.Get("X-Goog-Generation") == "" || answer.Get("X-Amz-Request-Id") != "" {
		t.Fatalf("PUT: %d %v %s", status, answer, body)
	}
	if status, _, body := f.do(t, put, ""); status != http.StatusPreconditionFailed {
		t.Errorf("again: %d %s", status, body)
	}
	type item struct {
		Name, Generation, ContentType, StorageClass, CustomTime, CRC32C, MD5Hash string
		Metadata                                                                 map[string]string
	}
	_, _, list := f.do(t, request{method: "GET", path: "/storage/v1/b/photos/o"}, bearer(key))
	want := []item{{
		"a +&b", answer.Get("X-Goog-Generation"), "text/x", "NEARLINE", "2026-01-02T03:04:05Z", "Ya91Mw==", "mgNkuembtIDdJeHwKEyFVQ==",
		map[string]string{"color": "red"},
	}}
	if diff := cmp.Diff(want, itemsOf[item](t, list)); diff != "" {
		t.Errorf("the object in the JSON API: -want, +got:\n%s", diff)
	}
	f.do(t, request{method: "PATCH", path: "/storage/v1/b/photos/o/a%20%2B%26b", body: `{"metadata":{"color":"blue"}}`}, bearer(key))
	status, answer, body = f.do(t, request{method: "GET", path: f.signedURL(key, "GET", path, at, nil, nil)}, "")
	got := map[string]string{"Body": string(body)}
	for _, name := range []string{
		"Content-Type", "X-Goog-Meta-Color", "X-Goog-Metageneration", "X-Goog-Stored-Content-Length", "X-Goog-Stored-Content-Encoding",
		"X-Goog-Storage-Class", "X-Amz-Meta-Color", "Etag",
	} {
		got[name] = answer.Get(name)
	}
	read := map[string]string{
		"Body": "content", "Content-Type": "text/x", "X-Goog-Meta-Color": "blue", "X-Goog-Metageneration": "2",
		"X-Goog-Stored-Content-Length": "7", "X-Goog-Stored-Content-Encoding": "identity", "X-Goog-Storage-Class": "NEARLINE",
		"X-Amz-Meta-Color": "", "Etag": `"9a0364b9e99bb480dd25e1f0284c8555"`,
	}
	if diff := cmp.Diff(read, got); status != ok || diff != "" {
		t.Errorf("the object in the XML API: %d; -want, +got:\n%s", status, diff)
	}
	if _, answer, _ := f.do(t, request{method: "GET", path: path}, bearer(key)); answer.Get("Etag") != read["Etag"] {
		t.Errorf("with a token, the ETag in the XML API is %s", answer.Get("Etag"))
	}
}
