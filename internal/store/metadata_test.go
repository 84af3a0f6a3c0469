package store_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/google/go-cmp/cmp"
)

// TestStandardHeaders: headers of an upload are returned with the object.
func TestStandardHeaders(t *testing.T) {
	a := newApp(t)
	expires, began := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC), time.Now().Truncate(time.Second)
	a.put("k", "content", func(in *s3.PutObjectInput) {
		in.CacheControl, in.ContentDisposition, in.ContentEncoding = ptr("max-age=60"), ptr(`attachment; filename="a b"`), ptr("gzip")
		in.ContentLanguage, in.ContentType, in.Expires = ptr("de, en"), ptr("text/plain; charset=utf-8"), &expires
		in.WebsiteRedirectLocation, in.Metadata = ptr("/elsewhere"), map[string]string{"Colour-Of": "red", "empty": ""}
	})
	want := map[string]string{
		"Cache-Control": "max-age=60", "Content-Disposition": `attachment; filename="a b"`, "Content-Encoding": "gzip",
		"Content-Language": "de, en", "Content-Type": "text/plain; charset=utf-8", "Expires": "Wed, 02 Jan 2030 03:04:05 GMT",
		"X-Amz-Website-Redirect-Location": "/elsewhere", "X-Amz-Meta-Colour-Of": "red", "X-Amz-Meta-Empty": "",
		"Content-Length": "7", "Accept-Ranges": "bytes", "Etag": `"9a0364b9e99bb480dd25e1f0284c8555"`,
	}
	for _, method := range []string{http.MethodGet, http.MethodHead} {
		got := a.raw(method, "/k", "")
		for name, value := range want {
			if diff := cmp.Diff([]string{value}, got.header[name]); diff != "" {
				t.Errorf("%s: %s: -want, +got:\n%s", method, name, diff)
			}
		}
		modified, err := http.ParseTime(got.header.Get("Last-Modified"))
		if err != nil || modified.Before(began) || modified.After(time.Now()) {
			t.Errorf("%s: Last-Modified is %q", method, got.header.Get("Last-Modified"))
		}
	}
	if diff := cmp.Diff(map[string]string{"colour-of": "red", "empty": ""}, a.head("k", "").Metadata); diff != "" {
		t.Errorf("user metadata is in lower case: -want, +got:\n%s", diff)
	}
}

// TestOverrides: the client can request other headers than the stored ones.
func TestOverrides(t *testing.T) {
	a := newApp(t)
	a.put("k", "content", func(in *s3.PutObjectInput) { in.CacheControl, in.ContentType = ptr("no-cache"), ptr("text/plain") })
	_, got := a.read("k", "")
	if *got.CacheControl != "no-cache" || *got.ContentType != "text/plain" {
		t.Errorf("GetObject() = %+v", got)
	}
	out, err := a.s3.GetObject(t.Context(), &s3.GetObjectInput{
		Bucket: a.bucket, Key: ptr("k"), ResponseCacheControl: ptr("c"), ResponseContentDisposition: ptr("d"), ResponseContentEncoding: ptr("e"),
		ResponseContentLanguage: ptr("l"), ResponseContentType: ptr("t/u"),
	})
	a.must(err)
	a.must(out.Body.Close())
	all := []string{*out.CacheControl, *out.ContentDisposition, *out.ContentEncoding, *out.ContentLanguage, *out.ContentType}
	if diff := cmp.Diff([]string{"c", "d", "e", "l", "t/u"}, all); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

// TestNothingStale: PutObject replaces all of an object.
func TestNothingStale(t *testing.T) {
	a := newApp(t)
	a.put("k", "first content", func(in *s3.PutObjectInput) {
		in.CacheControl, in.ContentType, in.Tagging = ptr("no-cache"), ptr("text/plain"), ptr("a=b")
		in.Metadata = map[string]string{"colour": "red"}
	})
	a.put("k", "second", func(in *s3.PutObjectInput) { in.Metadata = map[string]string{"size": "small"} })
	head := a.head("k", "")
	if diff := cmp.Diff(map[string]string{"size": "small"}, head.Metadata); diff != "" {
		t.Errorf("user metadata: -want, +got:\n%s", diff)
	}
	if head.CacheControl != nil || head.TagCount != nil || *head.ContentLength != 6 || strings.HasPrefix(*head.ContentType, "text/") {
		t.Errorf("HeadObject() = %+v", head)
	}
	tags, err := a.s3.GetObjectTagging(t.Context(), &s3.GetObjectTaggingInput{Bucket: a.bucket, Key: ptr("k")})
	a.must(err)
	if len(tags.TagSet) > 0 {
		t.Errorf("GetObjectTagging() = %v", describeTags(tags.TagSet))
	}
}

// TestMetadataTwice: a repeated name is a list.
func TestMetadataTwice(t *testing.T) {
	a := newApp(t)
	in := signed{
		method: http.MethodPut, path: "/photos/k", credentials: a.key, region: a.store.Region(), service: "s3", at: time.Now(),
		before: func(r *http.Request) { r.Header["X-Amz-Meta-Colour"] = []string{"red", "blue"} },
	}
	if status, body := in.send(t, a.store); status != http.StatusOK {
		t.Fatalf("answer %d: %s", status, body)
	}
	if got := a.head("k", "").Metadata["colour"]; got != "red,blue" {
		t.Errorf("the metadata are %q", got)
	}
}

func TestMetadataLimit(t *testing.T) {
	a := newApp(t)
	most := strings.Repeat("x", 2048-len("m"))
	a.put("k", "", func(in *s3.PutObjectInput) { in.Metadata = map[string]string{"m": most} })
	_, err := a.s3.PutObject(t.Context(), &s3.PutObjectInput{Bucket: a.bucket, Key: ptr("k"), Metadata: map[string]string{"m": most + "x"}})
	a.rejected("a byte more than 2 KiB", err, "MetadataTooLarge")
}

func TestEmptyObject(t *testing.T) {
	a := newApp(t)
	const etag = `"d41d8cd98f00b204e9800998ecf8427e"`
	if out := a.put("empty", ""); *out.ETag != etag {
		t.Errorf("PutObject(): ETag %s, want %s", *out.ETag, etag)
	}
	content, out := a.read("empty", "")
	if content != "" || *out.ContentLength != 0 || *a.head("empty", "").ETag != etag {
		t.Errorf("GetObject() = %q, %+v", content, out)
	}
}

// TestErrorAnswers checks the parts of errors that clients read besides the code.
func TestErrorAnswers(t *testing.T) {
	a := newApp(t)
	got := a.raw(http.MethodGet, "/missing", "")
	code(t, got.body)
	if got.header.Get("Content-Type") != "application/xml" || got.header.Get("X-Amz-Request-Id") == "" || got.header.Get("X-Amz-Id-2") == "" ||
		!strings.Contains(got.body, "<Resource>/photos/missing</Resource>") || !strings.Contains(got.body, "<HostId>") {
		t.Errorf("GET answered %v: %s", got.header, got.body)
	}
	got = a.raw(http.MethodHead, "/missing", "")
	if got.status != http.StatusNotFound || got.body != "" || got.header.Get("Content-Type") != "" {
		t.Errorf("HEAD answered %d, %v: %q", got.status, got.header, got.body)
	}
}
