package authentication_test

import (
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/cosi-emu/cosi-emu/test/s3test"
)

// TestRevokedDuringUpload revokes a key in the middle of its request.
func TestRevokedDuringUpload(t *testing.T) {
	s := s3test.Serve(t, s3test.Options{})
	s.Bucket(t, "photos")
	app := s.Account(t, "app", s3test.ReadWrite("photos"))
	body, rest := io.Pipe()
	in := s3test.Signed{
		Method: http.MethodPut, Path: "/photos/k", Credentials: app, Region: s.Region(), Service: "s3", At: time.Now(),
		Before: func(r *http.Request) {
			r.Header.Set("X-Amz-Content-Sha256", "UNSIGNED-PAYLOAD")
			r.Body, r.ContentLength = body, 8
		},
	}
	r := in.Request(t, s)
	go func() {
		_, _ = rest.Write([]byte("half"))
		if err := s.DeleteAccount(t.Context(), s3test.Owner, "app"); err != nil {
			t.Errorf("DeleteAccount(): %v", err)
		}
		_, _ = rest.Write([]byte("half"))
		_ = rest.Close()
	}()
	if status, answer := s3test.Do(t, r); status != http.StatusForbidden || s3test.Code(t, answer) != "InvalidAccessKeyId" {
		t.Errorf("answer %d: %s", status, answer)
	}
	other := s.Client(t, s.Account(t, "other", s3test.ReadWrite("photos")))
	_, err := other.GetObject(t.Context(), &s3.GetObjectInput{Bucket: new("photos"), Key: new("k")})
	if got := s3test.Failure(t, err); got != "NoSuchKey" {
		t.Errorf("the object was stored: %q", got)
	}
}
