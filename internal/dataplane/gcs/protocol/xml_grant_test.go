package protocol_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/smithy-go"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/gcs"
)

// xmlCall is an operation of the XML API with Amazon's client, and its needs; see routes. The
// buckets photos and archive have the objects x and y, and the upload with the ID.
type xmlCall struct {
	name  string
	run   func(ctx context.Context, c *s3.Client, bucket, upload string) error
	needs []string
}

// calls are all operations of the XML API.
var calls = []xmlCall{
	{"HeadBucket", func(ctx context.Context, c *s3.Client, b, _ string) error {
		return second(c.HeadBucket(ctx, &s3.HeadBucketInput{Bucket: &b}))
	}, nil},
	{"GetBucketLocation", func(ctx context.Context, c *s3.Client, b, _ string) error {
		return second(c.GetBucketLocation(ctx, &s3.GetBucketLocationInput{Bucket: &b}))
	}, nil},
	{"GetBucketVersioning", func(ctx context.Context, c *s3.Client, b, _ string) error {
		return second(c.GetBucketVersioning(ctx, &s3.GetBucketVersioningInput{Bucket: &b}))
	}, []string{"bd"}},
	{"ListObjects", func(ctx context.Context, c *s3.Client, b, _ string) error {
		return second(c.ListObjects(ctx, &s3.ListObjectsInput{Bucket: &b}))
	}, []string{"d"}},
	{"ListObjectsV2", func(ctx context.Context, c *s3.Client, b, _ string) error {
		return second(c.ListObjectsV2(ctx, &s3.ListObjectsV2Input{Bucket: &b}))
	}, []string{"d"}},
	{"ListObjectVersions", func(ctx context.Context, c *s3.Client, b, _ string) error {
		return second(c.ListObjectVersions(ctx, &s3.ListObjectVersionsInput{Bucket: &b}))
	}, []string{"d"}},
	{"ListMultipartUploads", func(ctx context.Context, c *s3.Client, b, _ string) error {
		return second(c.ListMultipartUploads(ctx, &s3.ListMultipartUploadsInput{Bucket: &b}))
	}, []string{"D"}},
	{"GetObject", func(ctx context.Context, c *s3.Client, b, _ string) error {
		got, err := c.GetObject(ctx, &s3.GetObjectInput{Bucket: &b, Key: aws.String("x")})
		if err == nil {
			_, err = io.Copy(io.Discard, got.Body)
			err = errors.Join(err, got.Body.Close())
		}
		return err
	}, []string{"d"}},
	{"HeadObject", func(ctx context.Context, c *s3.Client, b, _ string) error {
		return second(c.HeadObject(ctx, &s3.HeadObjectInput{Bucket: &b, Key: aws.String("x")}))
	}, []string{"dm"}},
	{"PutObject", func(ctx context.Context, c *s3.Client, b, _ string) error {
		return second(c.PutObject(ctx, &s3.PutObjectInput{Bucket: &b, Key: aws.String("new"), Body: strings.NewReader("new")}))
	}, []string{"D"}},
	{"CopyObject", func(ctx context.Context, c *s3.Client, b, _ string) error {
		return second(c.CopyObject(ctx, &s3.CopyObjectInput{Bucket: &b, Key: aws.String("new"), CopySource: aws.String(b + "/x")}))
	}, []string{"d", "D"}},
	{"ComposeObject", func(ctx context.Context, c *s3.Client, b, _ string) error {
		return second(ask(ctx, c, http.MethodPut, "/"+b+"/new?compose=", components("<Name>x</Name>")))
	}, []string{"d", "D"}},
	{"UploadPart", func(ctx context.Context, c *s3.Client, b, upload string) error {
		return second(c.UploadPart(ctx, &s3.UploadPartInput{
			Bucket: &b, Key: aws.String("parts"), UploadId: &upload, PartNumber: aws.Int32(1), Body: bytes.NewReader([]byte("part")),
		}))
	}, []string{"D"}},
	{"ListParts", func(ctx context.Context, c *s3.Client, b, upload string) error {
		return second(c.ListParts(ctx, &s3.ListPartsInput{Bucket: &b, Key: aws.String("parts"), UploadId: &upload}))
	}, []string{"D"}},
	{"CreateMultipartUpload", func(ctx context.Context, c *s3.Client, b, _ string) error {
		return second(c.CreateMultipartUpload(ctx, &s3.CreateMultipartUploadInput{Bucket: &b, Key: aws.String("parts")}))
	}, []string{"D"}},
	{"CompleteMultipartUpload", func(ctx context.Context, c *s3.Client, b, upload string) error {
		return second(c.CompleteMultipartUpload(ctx, &s3.CompleteMultipartUploadInput{
			Bucket: &b, Key: aws.String("parts"), UploadId: &upload, MultipartUpload: &types.CompletedMultipartUpload{
				Parts: []types.CompletedPart{{PartNumber: aws.Int32(2), ETag: aws.String(`"1cf2a2b04ff63eda49c2d6d0eee4d759"`)}},
			},
		}))
	}, []string{"D"}},
	{"AbortMultipartUpload", func(ctx context.Context, c *s3.Client, b, upload string) error {
		return second(c.AbortMultipartUpload(ctx, &s3.AbortMultipartUploadInput{Bucket: &b, Key: aws.String("other"), UploadId: &upload}))
	}, []string{"D"}},
	{"DeleteObject", func(ctx context.Context, c *s3.Client, b, _ string) error {
		return second(c.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &b, Key: aws.String("y")}))
	}, []string{"D"}},
	{"DeleteObjects", func(ctx context.Context, c *s3.Client, b, _ string) error {
		return second(c.DeleteObjects(ctx, &s3.DeleteObjectsInput{Bucket: &b, Delete: &types.Delete{
			Objects: []types.ObjectIdentifier{{Key: aws.String("x")}},
		}}))
	}, []string{"D"}},
	{"PutBucketVersioning", func(ctx context.Context, c *s3.Client, b, _ string) error {
		return second(c.PutBucketVersioning(ctx, &s3.PutBucketVersioningInput{
			Bucket: &b, VersioningConfiguration: &types.VersioningConfiguration{Status: types.BucketVersioningStatusEnabled},
		}))
	}, []string{""}},
	{"DeleteBucket", func(ctx context.Context, c *s3.Client, b, _ string) error {
		return second(c.DeleteBucket(ctx, &s3.DeleteBucketInput{Bucket: &b}))
	}, []string{""}},
	{"CreateBucket", func(ctx context.Context, c *s3.Client, _, _ string) error {
		return second(c.CreateBucket(ctx, &s3.CreateBucketInput{Bucket: aws.String("mine")}))
	}, []string{""}},
}

func second[T any](_ T, err error) error { return err }

// codeOf returns the code of an error of the XML API. NoSuchUpload counts as success, because only
// callers who may upload get it.
func codeOf(err error) string {
	if err == nil {
		return ""
	}
	failed, ok := errors.AsType[smithy.APIError](err)
	if !ok {
		return err.Error()
	}
	switch failed.ErrorCode() {
	case "NoSuchUpload", "InvalidPart":
		return ""
	case "Forbidden": // of HEAD, which has no body
		return "AccessDenied"
	}
	return failed.ErrorCode()
}

// TestXMLGrants tries every operation of the XML API with every grant.
func TestXMLGrants(t *testing.T) {
	f := serve(t, gcs.Options{})
	admin := f.account(t, "all", all("photos"))
	owner := f.amazon(t, admin)
	modes := []fakedriver.AccessMode{fakedriver.NoAccess, fakedriver.ReadOnly, fakedriver.WriteOnly, fakedriver.ReadWrite}
	for i := range 64 {
		grant := fakedriver.Grant{Bucket: "photos", ObjectData: modes[i%4], ObjectMetadata: modes[i/4%4], BucketMetadata: modes[i/16]}
		c := f.amazon(t, f.account(t, fmt.Sprintf("app-%d", i), grant))
		for _, name := range []string{"x", "y"} {
			f.put(t, "photos", name, "content", bearer(admin))
		}
		upload, err := owner.CreateMultipartUpload(t.Context(), &s3.CreateMultipartUploadInput{
			Bucket: aws.String("photos"), Key: aws.String("parts"),
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, call := range calls {
			want := "AccessDenied"
			if covered(call.needs, letters(grant)) {
				want = ""
			}
			if got := codeOf(call.run(t.Context(), c, "photos", *upload.UploadId)); got != want {
				t.Errorf("%s with %q: %q, want %q", call.name, letters(grant), got, want)
			}
		}
	}
}

// TestXMLForeignBuckets tries every operation on buckets without a grant, or of another protocol.
func TestXMLForeignBuckets(t *testing.T) {
	f := serve(t, gcs.Options{})
	f.bucket(t, "archive")
	for name, protocol := range map[string]fakedriver.Protocol{"s3only": fakedriver.ProtocolS3, "azureonly": fakedriver.ProtocolAzure} {
		if _, err := f.store.CreateBucket(t.Context(), fakedriver.BucketSpec{Name: name, Owner: owner, Protocol: protocol}); err != nil {
			t.Fatal(err)
		}
	}
	keys := map[string]fakedriver.Credentials{
		"photos": f.account(t, "app", all("archive")), "nothing": f.account(t, "other", all("archive")),
		"s3only": f.account(t, "s3", all("s3only")), "azureonly": f.account(t, "azure", all("azureonly")),
	}
	for bucket, key := range keys {
		c := f.amazon(t, key)
		for _, call := range calls {
			if call.name == "CreateBucket" {
				continue
			}
			if got := codeOf(call.run(t.Context(), c, bucket, "upload")); got != "AccessDenied" {
				t.Errorf("%s of %s: %q, want AccessDenied", call.name, bucket, got)
			}
		}
	}
	f.put(t, "archive", "x", "content", bearer(keys["photos"]))
	_, err := f.amazon(t, f.account(t, "both", all("photos"))).CopyObject(t.Context(), &s3.CopyObjectInput{
		Bucket: aws.String("photos"), Key: aws.String("new"), CopySource: aws.String("archive/x"),
	})
	if codeOf(err) != "AccessDenied" {
		t.Errorf("copy from a foreign bucket: %v", err)
	}
}

// TestXMLListBuckets lists the buckets of a key, which include GCS buckets only.
func TestXMLListBuckets(t *testing.T) {
	f := serve(t, gcs.Options{})
	if _, err := f.store.CreateBucket(t.Context(), fakedriver.BucketSpec{Name: "s3only", Owner: owner}); err != nil {
		t.Fatal(err)
	}
	c := f.amazon(t, f.account(t, "app", all("photos"), all("s3only")))
	list, err := c.ListBuckets(t.Context(), &s3.ListBucketsInput{})
	if err != nil || len(list.Buckets) != 1 || aws.ToString(list.Buckets[0].Name) != "photos" {
		t.Errorf("ListBuckets() = %+v, %v", list, err)
	}
}

// TestKeyOfGCSOnS3 tries the key of a GCS bucket at the S3 service.
func TestKeyOfGCSOnS3(t *testing.T) {
	f := serve(t, gcs.Options{})
	key := f.account(t, "app", all("photos"))
	f.address = f.serveS3(t)
	_, err := f.amazonIn(t, key, "us-east-1").ListObjectsV2(t.Context(), &s3.ListObjectsV2Input{Bucket: aws.String("photos")})
	if codeOf(err) != "AccessDenied" {
		t.Errorf("ListObjectsV2(): %v", err)
	}
}
