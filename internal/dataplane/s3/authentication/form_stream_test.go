package authentication_test

import (
	"bytes"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/test/s3test"
)

// halves returns a form in two parts, split in the middle of its file.
func halves(t *testing.T, s *s3test.Server, f s3test.Form) (r *http.Request, first, second []byte) {
	t.Helper()
	r = f.Request(t.Context(), t, s.URL)
	body, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	middle := bytes.Index(body, []byte(f.File)) + len(f.File)/2
	return r, body[:middle], body[middle:]
}

// TestFormRevoked revokes a key in the middle of its form: it stores nothing.
func TestFormRevoked(t *testing.T) {
	s := s3test.Serve(t, s3test.Options{})
	s.Bucket(t, "photos")
	r, first, second := halves(t, s, s.Form("photos", s.Account(t, "app", s3test.ReadWrite("photos"))))
	body, rest := io.Pipe()
	r.Body = body
	go func() {
		_, _ = rest.Write(first)
		if err := s.DeleteAccount(t.Context(), s3test.Owner, "app"); err != nil {
			t.Errorf("DeleteAccount(): %v", err)
		}
		_, _ = rest.Write(second)
		_ = rest.Close()
	}()
	if got := s3test.Exchange(t, r); got.Status != http.StatusForbidden || s3test.Code(t, got.Body) != "InvalidAccessKeyId" {
		t.Errorf("answer %d: %s", got.Status, got.Body)
	}
	other := s.Client(t, s.Account(t, "other", s3test.ReadWrite("photos")))
	_, err := other.GetObject(t.Context(), &s3.GetObjectInput{Bucket: new("photos"), Key: new("uploads/cat.jpg")})
	if got := s3test.Failure(t, err); got != "NoSuchKey" {
		t.Errorf("the object was stored: %q", got)
	}
}

// TestFormQuota: a form counts like any other upload.
func TestFormQuota(t *testing.T) {
	a := s3test.NewApp(t, s3test.Limited(fakedriver.Quota{Bytes: 5}))
	f := a.Form()
	if got := a.Post(f); got.Status != http.StatusNoContent {
		t.Errorf("as much as there may be: answer %d: %s", got.Status, got.Body)
	}
	f.FileName = "dog.jpg"
	if got := a.Post(f); got.Status != http.StatusForbidden || s3test.Code(t, got.Body) != "QuotaExceeded" {
		t.Errorf("more than there may be: answer %d: %s", got.Status, got.Body)
	}
}

// TestFormStreams: the file is written to the disk while it arrives.
func TestFormStreams(t *testing.T) {
	const size, atMost = 64 << 20, 16 << 20
	s := s3test.Serve(t, s3test.Options{Dir: filepath.Join(t.TempDir(), "data")})
	s.Bucket(t, "photos")
	key := s.Account(t, "app", s3test.ReadWrite("photos"))
	f := s.Form("photos", key)
	f.File = strings.Repeat("0123456789abcdef", size/16)
	r := f.Request(t.Context(), t, s.URL)
	before := s3test.Heap().TotalAlloc
	got := s3test.Exchange(t, r)
	if allocated := s3test.Heap().TotalAlloc - before; got.Status != http.StatusNoContent || allocated > atMost {
		t.Errorf("answer %d: %s; %d bytes were allocated for a file of %d", got.Status, got.Body, allocated, size)
	}
	if content := s3test.Get(t, s.Client(t, key), "uploads/cat.jpg"); content != f.File {
		t.Errorf("the object has %d bytes, and others than the file", len(content))
	}
}
