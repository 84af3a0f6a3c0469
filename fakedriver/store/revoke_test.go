package store_test

import (
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/cosi-emu/cosi-emu/fakedriver/store"
)

// TestRevokedDuringUpload revokes a key while its request is half sent.
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

// TestRevokedUnderLoad checks that nothing succeeds with a key once revoking it
// has returned.
func TestRevokedUnderLoad(t *testing.T) {
	s := serve(t, store.Options{})
	s.bucket(t, "photos")
	c := s.client(t, s.account(t, "app", readWrite("photos")))
	var revoked atomic.Bool
	var before, after atomic.Int64
	var clients sync.WaitGroup
	busy := make(chan struct{})
	for range 16 {
		clients.Go(func() {
			for {
				late := revoked.Load()
				_, err := c.PutObject(t.Context(), &s3.PutObjectInput{Bucket: ptr("photos"), Key: ptr("k"), Body: strings.NewReader("x")})
				switch {
				case err == nil && late:
					t.Error("a request succeeded after its key was revoked")
				case err == nil:
					if before.Add(1) == 50 {
						close(busy)
					}
				case late:
					after.Add(1)
					return
				}
			}
		})
	}
	<-busy
	s.revoke(t, "app")
	revoked.Store(true)
	clients.Wait()
	if after.Load() != 16 {
		t.Errorf("%d clients were refused, want all 16", after.Load())
	}
}
