package store_test

import (
	"bytes"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/store"
)

// halves returns a form in two parts, split in the middle of its file.
func halves(t *testing.T, s *server, f form) (r *http.Request, first, second []byte) {
	t.Helper()
	r = f.request(t.Context(), t, s.url)
	body, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	middle := bytes.Index(body, []byte(f.file)) + len(f.file)/2
	return r, body[:middle], body[middle:]
}

// TestFormRevoked revokes a key in the middle of its form: it stores nothing.
func TestFormRevoked(t *testing.T) {
	s := serve(t, store.Options{})
	s.bucket(t, "photos")
	r, first, second := halves(t, s, s.form("photos", s.account(t, "app", readWrite("photos"))))
	body, rest := io.Pipe()
	r.Body = body
	go func() {
		_, _ = rest.Write(first)
		if err := s.DeleteAccount(t.Context(), owner, "app"); err != nil {
			t.Errorf("DeleteAccount(): %v", err)
		}
		_, _ = rest.Write(second)
		_ = rest.Close()
	}()
	if got := exchange(t, r); got.status != http.StatusForbidden || code(t, got.body) != "InvalidAccessKeyId" {
		t.Errorf("answer %d: %s", got.status, got.body)
	}
	other := s.client(t, s.account(t, "other", readWrite("photos")))
	_, err := other.GetObject(t.Context(), &s3.GetObjectInput{Bucket: ptr("photos"), Key: ptr("uploads/cat.jpg")})
	if got := failure(t, err); got != "NoSuchKey" {
		t.Errorf("the object was stored: %q", got)
	}
}

// TestFormQuota: a form counts like any other upload.
func TestFormQuota(t *testing.T) {
	a := newApp(t, limited(fakedriver.Quota{Bytes: 5}))
	f := a.form()
	if got := a.post(f); got.status != http.StatusNoContent {
		t.Errorf("as much as there may be: answer %d: %s", got.status, got.body)
	}
	f.fileName = "dog.jpg"
	if got := a.post(f); got.status != http.StatusForbidden || code(t, got.body) != "QuotaExceeded" {
		t.Errorf("more than there may be: answer %d: %s", got.status, got.body)
	}
}

// TestFormStreams: the file is written to the disk while it arrives.
func TestFormStreams(t *testing.T) {
	const size, atMost = 64 << 20, 16 << 20
	s := serve(t, store.Options{Dir: filepath.Join(t.TempDir(), "data")})
	s.bucket(t, "photos")
	key := s.account(t, "app", readWrite("photos"))
	f := s.form("photos", key)
	f.file = strings.Repeat("0123456789abcdef", size/16)
	r := f.request(t.Context(), t, s.url)
	before := heap().TotalAlloc
	got := exchange(t, r)
	if allocated := heap().TotalAlloc - before; got.status != http.StatusNoContent || allocated > atMost {
		t.Errorf("answer %d: %s; %d bytes were allocated for a file of %d", got.status, got.body, allocated, size)
	}
	if content := get(t, s.client(t, key), "uploads/cat.jpg"); content != f.file {
		t.Errorf("the object has %d bytes, and others than the file", len(content))
	}
}
