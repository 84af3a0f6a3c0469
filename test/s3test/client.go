package s3test

import (
	"bytes"
	"io"
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

// Fixture is a store with one bucket and a client with full access.
func Fixture(t *testing.T, options Options) (*Server, *s3.Client) {
	t.Helper()
	s := Serve(t, options)
	app := s.App(t)
	return s, app
}

// App creates the bucket photos, and returns the client of an application that may read and write
// it.
func (s *Server) App(t *testing.T) *s3.Client {
	t.Helper()
	s.Bucket(t, "photos")
	return s.Client(t, s.Account(t, "app", ReadWrite("photos")))
}

// Put writes an object to the bucket photos.
func Put(t *testing.T, c *s3.Client, key, content string) {
	t.Helper()
	_, err := c.PutObject(t.Context(), &s3.PutObjectInput{
		Bucket: new("photos"), Key: new(key), Body: strings.NewReader(content), Metadata: map[string]string{"colour": "red"},
	})
	if err != nil {
		t.Fatalf("PutObject(%q): %v", key, err)
	}
}

// Get returns the content of an object in the bucket photos.
func Get(t *testing.T, c *s3.Client, key string, change ...func(*s3.GetObjectInput)) string {
	t.Helper()
	in := &s3.GetObjectInput{Bucket: new("photos"), Key: new(key)}
	for _, f := range change {
		f(in)
	}
	out, err := c.GetObject(t.Context(), in)
	if err != nil {
		t.Fatalf("GetObject(%q): %v", key, err)
	}
	defer func() { _ = out.Body.Close() }()
	content, err := io.ReadAll(out.Body)
	if err != nil {
		t.Fatalf("GetObject(%q): %v", key, err)
	}
	return string(content)
}

// Send sends a request, and returns the status and the body of the response.
func Send(t *testing.T, method, target string, header http.Header, body string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, target, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	maps.Copy(r.Header, header)
	return Do(t, r)
}

// Do is Send for a complete request.
func Do(t *testing.T, r *http.Request) (int, string) {
	t.Helper()
	response, err := http.DefaultClient.Do(r) //nolint:gosec // to the test's own server
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	var content bytes.Buffer
	if _, err := content.ReadFrom(response.Body); err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, content.String()
}

// DescribeTags returns tags in the form key=value.
func DescribeTags(tags []types.Tag) (all []string) {
	for _, tag := range tags {
		all = append(all, *tag.Key+"="+*tag.Value)
	}
	return all
}
