package authentication_test

import (
	"context"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cosi-emu/cosi-emu/test/harness"
	"github.com/cosi-emu/cosi-emu/test/s3test"
)

// moments is a middleware that acts at two moments of one request: when its response is being
// prepared, after all decisions, and when it starts.
type moments struct {
	armed    atomic.Bool
	prepared func()
	started  func(status int)
}

func (m *moments) watch(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if m.armed.CompareAndSwap(true, false) {
			w = &momentWriter{ResponseWriter: w, moments: m}
		}
		next.ServeHTTP(w, r)
	})
}

type momentWriter struct {
	http.ResponseWriter

	moments *moments
	called  bool
}

func (w *momentWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Header is called before anything is known about the request, for the headers of all responses, of which Server is
// the last, and then when a response is prepared.
func (w *momentWriter) Header() http.Header {
	header := w.ResponseWriter.Header()
	if !w.called && header.Get("Server") != "" {
		w.called = true
		w.moments.prepared()
	}
	return header
}

func (w *momentWriter) WriteHeader(status int) {
	w.moments.started(status)
	w.ResponseWriter.WriteHeader(status)
}

// TestRevokedBeforeAnswer revokes a key when a reading request has been decided and performed, but
// not answered.
func TestRevokedBeforeAnswer(t *testing.T) {
	for name, target := range map[string]struct{ method, path string }{
		"GetObject": {"GET", "/photos/k"}, "HeadObject": {"HEAD", "/photos/k"}, "ListObjectsV2": {"GET", "/photos?list-type=2"},
		"ListBuckets": {"GET", "/"}, "NoSuchKey": {"GET", "/photos/missing"}, "HeadBucket": {"HEAD", "/photos"},
	} {
		t.Run(name, func(t *testing.T) {
			m := new(moments)
			s, c := s3test.Fixture(t, s3test.Options{Middleware: m.watch})
			s3test.Put(t, c, "k", "content")
			in := s3test.Signed{
				Method: target.method, Path: target.path, Credentials: s.Account(t, "app", s3test.ReadWrite("photos")),
				Region: s.Region(), Service: "s3", At: time.Now(),
			}
			r := in.Request(t, s)
			m.prepared, m.started = func() { s.Revoke(t, "app") }, func(int) {}
			m.armed.Store(true)
			status, body := s3test.Do(t, r)
			if status != http.StatusForbidden || (target.method == http.MethodGet && s3test.Code(t, body) != "InvalidAccessKeyId") {
				t.Errorf("answer %d: %s", status, body)
			}
		})
	}
}

func isRunning(function string) bool {
	stacks := make([]byte, 1<<20)
	return strings.Contains(string(stacks[:runtime.Stack(stacks, true)]), function+"(")
}

// TestRevokedBeforeWriteIsAnswered revokes a key after a change with it: the revocation waits for
// the response, which must not be an error.
func TestRevokedBeforeWriteIsAnswered(t *testing.T) {
	m := new(moments)
	s, _ := s3test.Fixture(t, s3test.Options{Middleware: m.watch})
	in := s3test.Signed{
		Method: http.MethodPut, Path: "/photos/k", Body: "content", Credentials: s.Account(t, "app", s3test.ReadWrite("photos")),
		Region: s.Region(), Service: "s3", At: time.Now(),
	}
	r := in.Request(t, s)
	var revoking sync.WaitGroup
	returned := make(chan struct{})
	m.prepared = func() {
		revoking.Go(func() {
			defer close(returned)
			if err := s.DeleteAccount(t.Context(), s3test.Owner, "app"); err != nil {
				t.Errorf("DeleteAccount(): %v", err)
			}
		})
	}
	m.started = func(int) {
		harness.Until(t, "the revocation waits for the request, or returns", func(context.Context) (bool, error) {
			select {
			case <-returned:
				t.Error("the key was revoked although a change was not answered")
				return true, nil
			default:
				return isRunning("authorization.(*Principal).WaitForRequests"), nil
			}
		})
	}
	m.armed.Store(true)
	if status, body := s3test.Do(t, r); status != http.StatusOK {
		t.Errorf("answer %d: %s", status, body)
	}
	revoking.Wait()
	if status, body := in.Send(t, s); status != http.StatusForbidden || s3test.Code(t, body) != "InvalidAccessKeyId" {
		t.Errorf("after it was revoked: answer %d: %s", status, body)
	}
}

// TestRevokedIsReadable: a page may read the reason for which its key is rejected, even during the
// preparation of the response.
func TestRevokedIsReadable(t *testing.T) {
	m := new(moments)
	s, c := s3test.Fixture(t, s3test.Options{Middleware: m.watch, CORSOrigins: []string{"*"}})
	s3test.Put(t, c, "k", "content")
	in := s3test.Signed{
		Method: http.MethodGet, Path: "/photos/k", Credentials: s.Account(t, "app", s3test.ReadWrite("photos")),
		Region: s.Region(), Service: "s3", At: time.Now(), Before: s3test.SetHeader("Origin", "http://b"),
	}
	r := in.Request(t, s)
	m.prepared, m.started = func() { s.Revoke(t, "app") }, func(int) {}
	m.armed.Store(true)
	got := s3test.Exchange(t, r)
	if got.Status != http.StatusForbidden || got.Header.Get("Access-Control-Allow-Origin") != "*" {
		t.Errorf("answer %d with %v: %s", got.Status, got.Header, got.Body)
	}
}
