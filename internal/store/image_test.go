package store_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/test/s3test"
)

// TestImage writes the image of a store, and opens it: buckets, keys, objects with their versions,
// and an unfinished upload are from the moment of the image, without later changes.
func TestImage(t *testing.T) {
	for name, options := range map[string]s3test.Options{"Memory": {}, "Directory": {Dir: filepath.Join(t.TempDir(), "data")}} {
		t.Run(name, func(t *testing.T) {
			s, c := s3test.Fixture(t, options)
			credentials := s.Account(t, "app", s3test.ReadWrite("photos"))
			large := strings.Repeat("large", 50_000)
			s3test.Put(t, c, "small", "content")
			s3test.Put(t, c, "large", large)
			s3test.Put(t, c, "empty", "")
			if _, err := c.CopyObject(t.Context(), &s3.CopyObjectInput{
				Bucket: new("photos"), Key: new("copy"), CopySource: new("photos/large"),
			}); err != nil {
				t.Fatal(err)
			}
			upload, etag := beginUpload(t, c, "upload", "part")
			before, _ := s.Buckets(t.Context())

			image, thaw, err := s.Freeze(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			expectFrozen(t, s, c)
			thaw()
			s3test.Put(t, c, "small", "changed")
			s3test.Put(t, c, "later", "content")
			if _, err := c.DeleteObject(t.Context(), &s3.DeleteObjectInput{Bucket: new("photos"), Key: new("large")}); err != nil {
				t.Fatal(err)
			}
			s.Bucket(t, "later")
			dir := filepath.Join(t.TempDir(), "image")
			if err := image.Write(dir); err != nil {
				t.Fatal(err)
			}
			image.Release()

			restored := s3test.Serve(t, s3test.Options{Dir: dir})
			after, err := restored.Buckets(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(before, after); diff != "" {
				t.Errorf("buckets: -before, +after:\n%s", diff)
			}
			app := restored.Client(t, credentials)
			completeUpload(t, app, "upload", upload, etag)
			for key, want := range map[string]string{"small": "content", "large": large, "copy": large, "empty": "", "upload": "part"} {
				if got := s3test.Get(t, app, key); got != want {
					t.Errorf("object %s has %d bytes, want %d", key, len(got), len(want))
				}
			}
			if _, err := app.GetObject(t.Context(), &s3.GetObjectInput{Bucket: new("photos"), Key: new("later")}); err == nil {
				t.Error("an object that was written after the image is there")
			}
		})
	}
}

func beginUpload(t *testing.T, c *s3.Client, key, content string) (id, etag *string) {
	t.Helper()
	upload, err := c.CreateMultipartUpload(t.Context(), &s3.CreateMultipartUploadInput{Bucket: new("photos"), Key: &key})
	if err != nil {
		t.Fatal(err)
	}
	part, err := c.UploadPart(t.Context(), &s3.UploadPartInput{
		Bucket: new("photos"), Key: &key, UploadId: upload.UploadId, PartNumber: new(int32(1)), Body: strings.NewReader(content),
	})
	if err != nil {
		t.Fatal(err)
	}
	return upload.UploadId, part.ETag
}

func completeUpload(t *testing.T, c *s3.Client, key string, id, etag *string) {
	t.Helper()
	if _, err := c.CompleteMultipartUpload(t.Context(), &s3.CompleteMultipartUploadInput{
		Bucket: new("photos"), Key: &key, UploadId: id,
		MultipartUpload: &types.CompletedMultipartUpload{Parts: []types.CompletedPart{{PartNumber: new(int32(1)), ETag: etag}}},
	}); err != nil {
		t.Errorf("complete the upload: %v", err)
	}
}

// expectFrozen expects that changes wait, and that reads do not.
func expectFrozen(t *testing.T, s *s3test.Server, c *s3.Client) {
	t.Helper()
	if got := s3test.Get(t, c, "small"); got != "content" {
		t.Errorf("while frozen, the object is %q", got)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := s.CreateBucket(ctx, fakedriver.BucketSpec{Name: "waiting", Owner: "me"}); err == nil {
		t.Error("while frozen, a bucket is created")
	}
	if _, err := c.PutObject(ctx, &s3.PutObjectInput{Bucket: new("photos"), Key: new("waiting"), Body: strings.NewReader("x")}); err == nil {
		t.Error("while frozen, an object is written")
	}
}
