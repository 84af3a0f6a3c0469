package s3test

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/cosi-emu/cosi-emu/fakedriver"
)

// App is an application with all access to one bucket, "photos".
type App struct {
	*testing.T

	Store  *Server
	S3     *s3.Client
	Bucket *string
	Key    fakedriver.Credentials
}

// NewApp starts a store in memory with the bucket, which can be changed before it is created.
func NewApp(t *testing.T, change ...func(*fakedriver.BucketSpec)) *App {
	t.Helper()
	s := Serve(t, Options{})
	s.Bucket(t, "photos", change...)
	key := s.Account(t, "app", AllAccess("photos"))
	return &App{T: t, Store: s, S3: s.Client(t, key), Bucket: new("photos"), Key: key}
}

// AllAccess is the grant of everything in a bucket.
func AllAccess(bucket string) fakedriver.Grant {
	return fakedriver.Grant{
		Bucket: bucket, ObjectData: fakedriver.ReadWrite, ObjectMetadata: fakedriver.ReadWrite, BucketMetadata: fakedriver.ReadWrite,
	}
}

// Versioned switches the versioning of a bucket on.
func Versioned(b *fakedriver.BucketSpec) { b.Versioning = true }

// In returns the application for a subtest.
func (a *App) In(t *testing.T) *App {
	t.Helper()
	b := *a
	b.T = t
	return &b
}

// Must ends the test at an error.
func (a *App) Must(err error) {
	a.Helper()
	if err != nil {
		a.Fatal(err)
	}
}

// Rejected checks that an operation fails with a code of S3's; "" is no failure.
func (a *App) Rejected(what string, err error, want string) {
	a.Helper()
	if got := Failure(a.T, err); got != want {
		a.Errorf("%s: %q, want %q", what, got, want)
	}
}

// Put writes an object.
func (a *App) Put(key, content string, change ...func(*s3.PutObjectInput)) *s3.PutObjectOutput {
	a.Helper()
	in := &s3.PutObjectInput{Bucket: a.Bucket, Key: &key, Body: strings.NewReader(content)}
	for _, f := range change {
		f(in)
	}
	out, err := a.S3.PutObject(a.Context(), in)
	a.Must(err)
	return out
}

// Head returns the headers of an object, with its checksum. version is empty for the newest.
func (a *App) Head(key, version string) *s3.HeadObjectOutput {
	a.Helper()
	out, err := a.S3.HeadObject(a.Context(), &s3.HeadObjectInput{
		Bucket: a.Bucket, Key: &key, VersionId: Optional(version), ChecksumMode: types.ChecksumModeEnabled,
	})
	a.Must(err)
	return out
}

// Read returns the content of an object, and the whole response.
func (a *App) Read(key, version string) (string, *s3.GetObjectOutput) {
	a.Helper()
	out, err := a.S3.GetObject(a.Context(), &s3.GetObjectInput{Bucket: a.Bucket, Key: &key, VersionId: Optional(version)})
	a.Must(err)
	defer func() { a.Must(out.Body.Close()) }()
	content, err := io.ReadAll(out.Body)
	a.Must(err)
	return string(content), out
}

// Remove deletes an object, or a version of it.
func (a *App) Remove(key, version string) *s3.DeleteObjectOutput {
	a.Helper()
	out, err := a.S3.DeleteObject(a.Context(), &s3.DeleteObjectInput{Bucket: a.Bucket, Key: &key, VersionId: Optional(version)})
	a.Must(err)
	return out
}

// Configure switches versioning, as the driver or an administrator does.
func (a *App) Configure(state types.BucketVersioningStatus) {
	a.Helper()
	_, err := a.Store.Client(a.T, a.Store.Admin(a.T)).PutBucketVersioning(a.Context(), &s3.PutBucketVersioningInput{
		Bucket: a.Bucket, VersioningConfiguration: &types.VersioningConfiguration{Status: state},
	})
	a.Must(err)
}

// Answer is a response, including parts that a client would hide.
type Answer struct {
	Status int
	Header http.Header
	Body   string
}

// Raw sends a signed request to the bucket; target is the rest of the path.
func (a *App) Raw(method, target, body string, header ...string) Answer {
	a.Helper()
	in := Signed{
		Method: method, Path: "/" + *a.Bucket + target, Body: body, Credentials: a.Key,
		Region: a.Store.Region(), Service: "s3", At: time.Now(),
		Before: func(r *http.Request) {
			r.Header.Set("Accept-Encoding", "identity") // the transport would decode gzip by itself
			for i := 0; i < len(header); i += 2 {
				r.Header.Set(header[i], header[i+1])
			}
		},
	}
	return Exchange(a.T, in.Request(a.T, a.Store))
}

// Document is Raw with a digest of the body, which S3 requires for many documents.
func (a *App) Document(method, target, body string, header ...string) Answer {
	a.Helper()
	return a.Raw(method, target, body, append(header, "Content-Md5", MD5Of(body))...)
}

// Exchange sends a request, and follows no redirection.
func Exchange(t *testing.T, r *http.Request) Answer {
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
	return Answer{response.StatusCode, response.Header, content.String()}
}

// Optional returns nil for an empty text.
func Optional(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
