package store_test

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/store"
)

// app is an application with all access to one bucket, "photos".
type app struct {
	*testing.T

	store  *server
	s3     *s3.Client
	bucket *string
	key    fakedriver.Credentials
}

func newApp(t *testing.T, change ...func(*fakedriver.BucketSpec)) *app {
	t.Helper()
	s := serve(t, store.Options{})
	s.bucket(t, "photos", change...)
	key := s.account(t, "app", allAccess("photos"))
	return &app{T: t, store: s, s3: s.client(t, key), bucket: ptr("photos"), key: key}
}

func allAccess(bucket string) fakedriver.Grant {
	return fakedriver.Grant{
		Bucket: bucket, ObjectData: fakedriver.ReadWrite, ObjectMetadata: fakedriver.ReadWrite, BucketMetadata: fakedriver.ReadWrite,
	}
}

func versioned(b *fakedriver.BucketSpec) { b.Versioning = true }

func (a *app) in(t *testing.T) *app {
	t.Helper()
	b := *a
	b.T = t
	return &b
}

func (a *app) must(err error) {
	a.Helper()
	if err != nil {
		a.Fatal(err)
	}
}

// rejected checks that an operation fails with a code of S3's; "" is no failure.
func (a *app) rejected(what string, err error, want string) {
	a.Helper()
	if got := failure(a.T, err); got != want {
		a.Errorf("%s: %q, want %q", what, got, want)
	}
}

func (a *app) put(key, content string, change ...func(*s3.PutObjectInput)) *s3.PutObjectOutput {
	a.Helper()
	in := &s3.PutObjectInput{Bucket: a.bucket, Key: &key, Body: strings.NewReader(content)}
	for _, f := range change {
		f(in)
	}
	out, err := a.s3.PutObject(a.Context(), in)
	a.must(err)
	return out
}

func (a *app) head(key, version string) *s3.HeadObjectOutput {
	a.Helper()
	out, err := a.s3.HeadObject(a.Context(), &s3.HeadObjectInput{
		Bucket: a.bucket, Key: &key, VersionId: optional(version), ChecksumMode: types.ChecksumModeEnabled,
	})
	a.must(err)
	return out
}

// read returns the content of an object, and the whole response.
func (a *app) read(key, version string) (string, *s3.GetObjectOutput) {
	a.Helper()
	out, err := a.s3.GetObject(a.Context(), &s3.GetObjectInput{Bucket: a.bucket, Key: &key, VersionId: optional(version)})
	a.must(err)
	defer func() { a.must(out.Body.Close()) }()
	content, err := io.ReadAll(out.Body)
	a.must(err)
	return string(content), out
}

func (a *app) remove(key, version string) *s3.DeleteObjectOutput {
	a.Helper()
	out, err := a.s3.DeleteObject(a.Context(), &s3.DeleteObjectInput{Bucket: a.bucket, Key: &key, VersionId: optional(version)})
	a.must(err)
	return out
}

// configure switches versioning, as the driver or an administrator does.
func (a *app) configure(state types.BucketVersioningStatus) {
	a.Helper()
	_, err := a.store.client(a.T, a.store.administrator(a.T)).PutBucketVersioning(a.Context(), &s3.PutBucketVersioningInput{
		Bucket: a.bucket, VersioningConfiguration: &types.VersioningConfiguration{Status: state},
	})
	a.must(err)
}

// answer is a response, including parts that a client would hide.
type answer struct {
	status int
	header http.Header
	body   string
}

// raw sends a signed request to the bucket; target is the rest of the path.
func (a *app) raw(method, target, body string, header ...string) answer {
	a.Helper()
	in := signed{
		method: method, path: "/" + *a.bucket + target, body: body, credentials: a.key,
		region: a.store.Region(), service: "s3", at: time.Now(),
		before: func(r *http.Request) {
			r.Header.Set("Accept-Encoding", "identity") // the transport would decode gzip by itself
			for i := 0; i < len(header); i += 2 {
				r.Header.Set(header[i], header[i+1])
			}
		},
	}
	return exchange(a.T, in.request(a.T, a.store))
}

// exchange sends a request, and follows no redirection.
func exchange(t *testing.T, r *http.Request) answer {
	t.Helper()
	response, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	var content bytes.Buffer
	if _, err := content.ReadFrom(response.Body); err != nil {
		t.Fatal(err)
	}
	return answer{response.StatusCode, response.Header, content.String()}
}

func optional(text string) *string {
	if text == "" {
		return nil
	}
	return aws.String(text)
}
