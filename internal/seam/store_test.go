package seam_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/httpserver"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/pipeline"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3"
	"github.com/cosi-emu/cosi-emu/internal/seam"
	"github.com/cosi-emu/cosi-emu/internal/store"
)

// open returns a store, for its knowledge of requests, and of pages of these origins.
func open(t *testing.T, origins ...string) *s3.Service {
	t.Helper()
	s, err := store.New(store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("Close(): %v", err)
		}
	})
	served, err := s3.New(s3.Options{Options: pipeline.Options{Store: s}, CORSOrigins: origins})
	if err != nil {
		t.Fatal(err)
	}
	return served
}

func TestMiddleware(t *testing.T) {
	i, j := newIncarnation(t)
	handler := i.Middleware(open(t), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodDelete {
			w.WriteHeader(http.StatusForbidden)
			_, _ = io.WriteString(w, "<Error><Code>AccessDenied</Code></Error>")
			return
		}
		if r.Method == http.MethodHead {
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	server := httptest.NewServer(handler)
	defer server.Close()
	for _, request := range []struct{ method, path string }{
		{"PUT", "/bkt/dir/key"}, {"DELETE", "/bkt/key"}, {"HEAD", "/bkt"}, {"GET", "/bkt?list-type=2"}, {"GET", "/"},
	} {
		if _, _, err := do(t, server.Client(), request.method, server.URL+request.path, ""); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{
		"actor PutObject bkt/dir/key OK", "actor DeleteObject bkt/key AccessDenied", "actor HeadBucket bkt NotFound",
		"actor ListObjectsV2 bkt OK", "actor ListBuckets OK",
	}
	if diff := cmp.Diff(want, lines(j)); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

// TestMiddlewareStored: the response names the stored object, if its subject does not.
func TestMiddlewareStored(t *testing.T) {
	i, j := newIncarnation(t)
	server := httptest.NewServer(i.Middleware(open(t), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		httpserver.NoteStored(r.Context(), "film")
		w.WriteHeader(http.StatusOK)
	})))
	defer server.Close()
	for _, request := range []struct{ method, path string }{{"POST", "/bkt"}, {"PUT", "/bkt/film"}} {
		if _, _, err := do(t, server.Client(), request.method, server.URL+request.path, ""); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	for _, e := range j.Since(0) {
		got = append(got, e.Operation.Name+" "+string(e.Response))
	}
	want := []string{`PostObject {"status":200,"bytes":0,"stored":"film"}`, `PutObject {"status":200,"bytes":0}`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

// TestMiddlewareMessage: the journal has the reason for which the store could not write, but no
// messages that a code explains.
func TestMiddlewareMessage(t *testing.T) {
	tests := map[string]struct {
		reason string
		status int
		want   string
	}{
		"Full":     {reason: "An operator has to act.", status: http.StatusInsufficientStorage, want: "no space left on device"},
		"Internal": {reason: "The message has only general words.", status: http.StatusInternalServerError},
		"Denied":   {reason: "The code says it.", status: http.StatusForbidden},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			i, j := newIncarnation(t)
			server := httptest.NewServer(i.Middleware(open(t), http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(tc.status)
				_, _ = io.WriteString(w, "<Error><Code>InternalError</Code><Message>no space left on device</Message></Error>")
			})))
			defer server.Close()
			if _, _, err := do(t, server.Client(), "PUT", server.URL+"/bkt/key", ""); err != nil {
				t.Fatal(err)
			}
			events := j.Since(0)
			if got := events[len(events)-1].Message; got != tc.want {
				t.Errorf("%s\nmessage %q, want %q", tc.reason, got, tc.want)
			}
		})
	}
}

func TestMiddlewareFence(t *testing.T) {
	i, _ := newIncarnation(t)
	entered := make(chan struct{})
	server := httptest.NewServer(i.Middleware(open(t), http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		close(entered)
		<-r.Context().Done()
	})))
	defer server.Close()
	inFlight := make(chan error)
	go func() {
		_, _, err := do(t, server.Client(), "GET", server.URL+"/bkt", "")
		inFlight <- err
	}()
	<-entered
	i.Fence()
	if err := <-inFlight; err == nil {
		t.Error("the request in flight was answered after the fence")
	}
	if _, _, err := do(t, server.Client(), "GET", server.URL+"/bkt", ""); err == nil {
		t.Error("a request after the fence was answered")
	}
}

// shelf is an empty backend.
type shelf struct{ calls int }

func (s *shelf) CreateBucket(_ context.Context, spec fakedriver.BucketSpec) (fakedriver.Bucket, error) {
	s.calls++
	return fakedriver.Bucket{BucketSpec: spec}, nil
}

func (s *shelf) GetBucket(context.Context, string) (fakedriver.Bucket, error) {
	s.calls++
	return fakedriver.Bucket{}, fmt.Errorf("bucket %w", fakedriver.ErrNotExist)
}

func (s *shelf) DeleteBucket(context.Context, string, string) error {
	s.calls++
	return errors.New("disk on fire")
}

func (s *shelf) PutAccount(context.Context, fakedriver.AccountSpec) (fakedriver.Credentials, error) {
	s.calls++
	return fakedriver.Credentials{SecretAccessKey: "hush"}, nil
}

func (s *shelf) RotateAccount(context.Context, string, string) (fakedriver.Credentials, error) {
	s.calls++
	return fakedriver.Credentials{}, fmt.Errorf("number of accounts %w", fakedriver.ErrLimit)
}

func (s *shelf) DeleteAccount(context.Context, string, string) error {
	s.calls++
	return nil
}

func TestBackend(t *testing.T) {
	i, j := newIncarnation(t)
	below := &shelf{}
	b := i.Backend(below)
	ctx := t.Context()
	bucket, err := b.CreateBucket(ctx, fakedriver.BucketSpec{Name: "b"})
	if err != nil || bucket.Name != "b" {
		t.Errorf("CreateBucket() = %v, %v", bucket, err)
	}
	if _, err := b.GetBucket(ctx, "b"); !errors.Is(err, fakedriver.ErrNotExist) {
		t.Errorf("GetBucket() = %v, want the error of the backend", err)
	}
	if err := b.DeleteBucket(ctx, "owner", "b"); err == nil {
		t.Error("DeleteBucket() lost the error")
	}
	if credentials, err := b.PutAccount(ctx, fakedriver.AccountSpec{ID: "a"}); err != nil || credentials.SecretAccessKey != "hush" {
		t.Errorf("PutAccount() = %v, %v", credentials, err)
	}
	if _, err := b.RotateAccount(ctx, "owner", "a"); !errors.Is(err, fakedriver.ErrLimit) {
		t.Errorf("RotateAccount() = %v, want the error of the backend", err)
	}
	if err := b.DeleteAccount(ctx, "owner", "a"); err != nil {
		t.Error(err)
	}
	i.Fence()
	if err := b.DeleteAccount(ctx, "owner", "a"); !errors.Is(err, seam.ErrFenced) {
		t.Errorf("a call after the fence: %v, want ErrFenced", err)
	}
	if below.calls != 6 {
		t.Errorf("the backend saw %d calls, want 6", below.calls)
	}
	want := []string{
		"actor AdminCreateBucket b OK", "actor AdminGetBucket b NotExist bucket does not exist",
		"actor AdminDeleteBucket b Error disk on fire", "actor AdminPutAccount a OK",
		"actor AdminRotateAccount a Limit number of accounts has reached its limit", "actor AdminDeleteAccount a OK",
	}
	if diff := cmp.Diff(want, lines(j)); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}
