package store_test

import (
	"context"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/store"
	"github.com/cosi-emu/cosi-emu/test/harness"
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
	headers int
}

func (w *momentWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Header is called once before anything is known about the request, for the headers of all
// responses, and then when a response is prepared.
func (w *momentWriter) Header() http.Header {
	w.headers++
	if w.headers == 2 {
		w.moments.prepared()
	}
	return w.ResponseWriter.Header()
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
			s, c := fixture(t, store.Options{Middleware: m.watch})
			put(t, c, "k", "content")
			in := signed{
				method: target.method, path: target.path, credentials: s.account(t, "app", readWrite("photos")),
				region: s.Region(), service: "s3", at: time.Now(),
			}
			r := in.request(t, s)
			m.prepared, m.started = func() { s.revoke(t, "app") }, func(int) {}
			m.armed.Store(true)
			status, body := do(t, r)
			if status != http.StatusForbidden || (target.method == http.MethodGet && code(t, body) != "InvalidAccessKeyId") {
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
	s, _ := fixture(t, store.Options{Middleware: m.watch})
	in := signed{
		method: http.MethodPut, path: "/photos/k", body: "content", credentials: s.account(t, "app", readWrite("photos")),
		region: s.Region(), service: "s3", at: time.Now(),
	}
	r := in.request(t, s)
	var revoking sync.WaitGroup
	returned := make(chan struct{})
	m.prepared = func() {
		revoking.Go(func() {
			defer close(returned)
			if err := s.DeleteAccount(t.Context(), owner, "app"); err != nil {
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
	if status, body := do(t, r); status != http.StatusOK {
		t.Errorf("answer %d: %s", status, body)
	}
	revoking.Wait()
	if status, body := in.send(t, s); status != http.StatusForbidden || code(t, body) != "InvalidAccessKeyId" {
		t.Errorf("after it was revoked: answer %d: %s", status, body)
	}
}
