package protocol_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/test/s3test"
)

// TestStandardHeaders: headers of an upload are returned with the object.
func TestStandardHeaders(t *testing.T) {
	a := s3test.NewApp(t)
	expires, began := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC), time.Now().Truncate(time.Second)
	a.Put("k", "content", func(in *s3.PutObjectInput) {
		in.CacheControl, in.ContentDisposition, in.ContentEncoding = new("max-age=60"), new(`attachment; filename="a b"`), new("gzip")
		in.ContentLanguage, in.ContentType, in.Expires = new("de, en"), new("text/plain; charset=utf-8"), &expires
		in.WebsiteRedirectLocation, in.Metadata = new("/elsewhere"), map[string]string{"Colour-Of": "red", "empty": ""}
	})
	want := map[string]string{
		"Cache-Control": "max-age=60", "Content-Disposition": `attachment; filename="a b"`, "Content-Encoding": "gzip",
		"Content-Language": "de, en", "Content-Type": "text/plain; charset=utf-8", "Expires": "Wed, 02 Jan 2030 03:04:05 GMT",
		"X-Amz-Website-Redirect-Location": "/elsewhere", "X-Amz-Meta-Colour-Of": "red", "X-Amz-Meta-Empty": "",
		"Content-Length": "7", "Accept-Ranges": "bytes", "Etag": `"9a0364b9e99bb480dd25e1f0284c8555"`,
	}
	for _, method := range []string{http.MethodGet, http.MethodHead} {
		got := a.Raw(method, "/k", "")
		for name, value := range want {
			if diff := cmp.Diff([]string{value}, got.Header[name]); diff != "" {
				t.Errorf("%s: %s: -want, +got:\n%s", method, name, diff)
			}
		}
		modified, err := http.ParseTime(got.Header.Get("Last-Modified"))
		if err != nil || modified.Before(began) || modified.After(time.Now()) {
			t.Errorf("%s: Last-Modified is %q", method, got.Header.Get("Last-Modified"))
		}
	}
	if diff := cmp.Diff(map[string]string{"colour-of": "red", "empty": ""}, a.Head("k", "").Metadata); diff != "" {
		t.Errorf("user metadata is in lower case: -want, +got:\n%s", diff)
	}
}

// TestOverrides: the client can request other headers than the stored ones.
func TestOverrides(t *testing.T) {
	a := s3test.NewApp(t)
	a.Put("k", "content", func(in *s3.PutObjectInput) { in.CacheControl, in.ContentType = new("no-cache"), new("text/plain") })
	_, got := a.Read("k", "")
	if *got.CacheControl != "no-cache" || *got.ContentType != "text/plain" {
		t.Errorf("GetObject() = %+v", got)
	}
	out, err := a.S3.GetObject(t.Context(), &s3.GetObjectInput{
		Bucket: a.Bucket, Key: new("k"), ResponseCacheControl: new("c"), ResponseContentDisposition: new("d"), ResponseContentEncoding: new("e"),
		ResponseContentLanguage: new("l"), ResponseContentType: new("t/u"),
	})
	a.Must(err)
	a.Must(out.Body.Close())
	all := []string{*out.CacheControl, *out.ContentDisposition, *out.ContentEncoding, *out.ContentLanguage, *out.ContentType}
	if diff := cmp.Diff([]string{"c", "d", "e", "l", "t/u"}, all); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

// TestNothingStale: PutObject replaces all of an object.
func TestNothingStale(t *testing.T) {
	a := s3test.NewApp(t)
	a.Put("k", "first content", func(in *s3.PutObjectInput) {
		in.CacheControl, in.ContentType, in.Tagging = new("no-cache"), new("text/plain"), new("a=b")
		in.Metadata = map[string]string{"colour": "red"}
	})
	a.Put("k", "second", func(in *s3.PutObjectInput) { in.Metadata = map[string]string{"size": "small"} })
	head := a.Head("k", "")
	if diff := cmp.Diff(map[string]string{"size": "small"}, head.Metadata); diff != "" {
		t.Errorf("user metadata: -want, +got:\n%s", diff)
	}
	if head.CacheControl != nil || head.TagCount != nil || *head.ContentLength != 6 || strings.HasPrefix(*head.ContentType, "text/") {
		t.Errorf("HeadObject() = %+v", head)
	}
	tags, err := a.S3.GetObjectTagging(t.Context(), &s3.GetObjectTaggingInput{Bucket: a.Bucket, Key: new("k")})
	a.Must(err)
	if len(tags.TagSet) > 0 {
		t.Errorf("GetObjectTagging() = %v", s3test.DescribeTags(tags.TagSet))
	}
}

// TestMetadataTwice: a repeated name is a list.
func TestMetadataTwice(t *testing.T) {
	a := s3test.NewApp(t)
	in := s3test.Signed{
		Method: http.MethodPut, Path: "/photos/k", Credentials: a.Key, Region: a.Store.Region(), Service: "s3", At: time.Now(),
		Before: func(r *http.Request) { r.Header["X-Amz-Meta-Colour"] = []string{"red", "blue"} },
	}
	if status, body := in.Send(t, a.Store); status != http.StatusOK {
		t.Fatalf("answer %d: %s", status, body)
	}
	if got := a.Head("k", "").Metadata["colour"]; got != "red,blue" {
		t.Errorf("the metadata are %q", got)
	}
}

func TestMetadataLimit(t *testing.T) {
	a := s3test.NewApp(t)
	most := strings.Repeat("x", 2048-len("m"))
	a.Put("k", "", func(in *s3.PutObjectInput) { in.Metadata = map[string]string{"m": most} })
	_, err := a.S3.PutObject(t.Context(), &s3.PutObjectInput{Bucket: a.Bucket, Key: new("k"), Metadata: map[string]string{"m": most + "x"}})
	a.Rejected("a byte more than 2 KiB", err, "MetadataTooLarge")
}

func TestEmptyObject(t *testing.T) {
	a := s3test.NewApp(t)
	const etag = `"d41d8cd98f00b204e9800998ecf8427e"`
	if out := a.Put("empty", ""); *out.ETag != etag {
		t.Errorf("PutObject(): ETag %s, want %s", *out.ETag, etag)
	}
	content, out := a.Read("empty", "")
	if content != "" || *out.ContentLength != 0 || *a.Head("empty", "").ETag != etag {
		t.Errorf("GetObject() = %q, %+v", content, out)
	}
}

// TestErrorAnswers checks the parts of errors that clients read besides the code.
func TestErrorAnswers(t *testing.T) {
	a := s3test.NewApp(t)
	got := a.Raw(http.MethodGet, "/missing", "")
	s3test.Code(t, got.Body)
	if got.Header.Get("Content-Type") != "application/xml" || got.Header.Get("X-Amz-Request-Id") == "" || got.Header.Get("X-Amz-Id-2") == "" ||
		!strings.Contains(got.Body, "<Resource>/photos/missing</Resource>") || !strings.Contains(got.Body, "<HostId>") {
		t.Errorf("GET answered %v: %s", got.Header, got.Body)
	}
	got = a.Raw(http.MethodHead, "/missing", "")
	if got.Status != http.StatusNotFound || got.Body != "" || got.Header.Get("Content-Type") != "" {
		t.Errorf("HEAD answered %d, %v: %q", got.Status, got.Header, got.Body)
	}
}
