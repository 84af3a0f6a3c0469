package store_test

import (
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/cosi-emu/cosi-emu/internal/store"
)

// TestRevokedDuringUpload revokes a key in the middle of its request.
func TestRevokedDuringUpload(t *testing.T) {
	s := serve(t, store.Options{})
	s.bucket(t, "photos")
	app := s.account(t, "app", readWrite("photos"))
	body, rest := io.Pipe()
	in := signed{
		method: http.MethodPut, path: "/photos/k", credentials: app, region: s.Region(), service: "s3", at: time.Now(),
		before: func(r *http.Request) {
			r.Header.Set("X-Amz-Content-Sha256", "UNSIGNED-PAYLOAD")
			r.Body, r.ContentLength = body, 8
		},
	}
	r := in.request(t, s)
	go func() {
		_, _ = rest.Write([]byte("half"))
		if err := s.DeleteAccount(t.Context(), owner, "app"); err != nil {
			t.Errorf("DeleteAccount(): %v", err)
		}
		_, _ = rest.Write([]byte("half"))
		_ = rest.Close()
	}()
	if status, answer := do(t, r); status != http.StatusForbidden || code(t, answer) != "InvalidAccessKeyId" {
		t.Errorf("answer %d: %s", status, answer)
	}
	other := s.client(t, s.account(t, "other", readWrite("photos")))
	_, err := other.GetObject(t.Context(), &s3.GetObjectInput{Bucket: ptr("photos"), Key: ptr("k")})
	if got := failure(t, err); got != "NoSuchKey" {
		t.Errorf("the object was stored: %q", got)
	}
}
