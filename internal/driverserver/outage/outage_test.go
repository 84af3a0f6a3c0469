package outage_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/pipeline"
	s3plane "github.com/cosi-emu/cosi-emu/internal/dataplane/s3"
	"github.com/cosi-emu/cosi-emu/internal/driverserver/outage"
	"github.com/cosi-emu/cosi-emu/internal/store"
)

// page is an origin whose pages may use the store.
const page = "http://localhost:3000"

// expectReadable expects that an allowed page may read the reason of a failure, and others may not.
func expectReadable(t *testing.T, handler http.Handler) {
	t.Helper()
	for origin, want := range map[string]string{page: page, "http://elsewhere": ""} {
		w, r := httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/photos/x", http.NoBody)
		r.Header.Set("Origin", origin)
		handler.ServeHTTP(w, r)
		if got := w.Header().Get("Access-Control-Allow-Origin"); got != want || w.Code != http.StatusServiceUnavailable {
			t.Errorf("a page of %s gets status %d, and may read it: %q; want %q", origin, w.Code, got, want)
		}
	}
}

func write(t *testing.T, path string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
}

// open returns a store with the bucket photos, and its backend during outages.
func open(t *testing.T, dir string) (*store.Store, fakedriver.Backend, http.Handler) {
	t.Helper()
	s3, err := store.New(store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s3.Close(); err != nil {
			t.Error(err)
		}
	})
	if _, err := s3.CreateBucket(t.Context(), fakedriver.BucketSpec{Name: "photos", Owner: "d"}); err != nil {
		t.Fatal(err)
	}
	service, err := s3plane.New(s3plane.Options{Options: pipeline.Options{Store: s3}, CORSOrigins: []string{page}})
	if err != nil {
		t.Fatal(err)
	}
	o := outage.New(dir, s3)
	return s3, o.Backend(s3), o.Handler(service)
}

// TestFail: while the file exists, all operations of the driver and all requests fail.
func TestFail(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "outage")
	_, backend, handler := open(t, dir)
	operations := map[string]func() error{
		"CreateBucket": func() error {
			_, err := backend.CreateBucket(t.Context(), fakedriver.BucketSpec{Name: "photos", Owner: "d"})
			return err
		},
		"GetBucket": func() error { _, err := backend.GetBucket(t.Context(), "photos"); return err },
		"PutAccount": func() error {
			_, err := backend.PutAccount(t.Context(), fakedriver.AccountSpec{ID: "a", Owner: "d"})
			return err
		},
		"RotateAccount": func() error { _, err := backend.RotateAccount(t.Context(), "d", "a"); return err },
	}
	operations["DeleteAccount"] = func() error { return backend.DeleteAccount(t.Context(), "d", "a") }
	operations["DeleteBucket"] = func() error { return backend.DeleteBucket(t.Context(), "d", "photos") }
	request := func() int {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/photos/x", http.NoBody))
		return w.Code
	}
	write(t, filepath.Join(dir, outage.FileFail))
	for name, operation := range operations {
		if err := operation(); status.Code(err) != codes.Unavailable {
			t.Errorf("%s = %v, want Unavailable", name, err)
		}
	}
	if code := request(); code != http.StatusServiceUnavailable {
		t.Errorf("a request has status %d", code)
	}
	expectReadable(t, handler)
	if err := os.Remove(filepath.Join(dir, outage.FileFail)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"CreateBucket", "GetBucket", "PutAccount", "RotateAccount", "DeleteAccount", "DeleteBucket"} {
		if err := operations[name](); err != nil {
			t.Errorf("%s = %v after the outage", name, err)
		}
	}
	if code := request(); code == http.StatusServiceUnavailable {
		t.Error("requests fail after the outage")
	}
}

// TestLose: a bucket of any owner is lost, with its objects, before the next operation.
func TestLose(t *testing.T) {
	dir := t.TempDir()
	s3, backend, _ := open(t, dir)
	for _, name := range []string{"photos", "unknown"} {
		write(t, filepath.Join(dir, outage.DirLose, name))
	}
	if _, err := backend.GetBucket(t.Context(), "photos"); !errors.Is(err, fakedriver.ErrNotExist) {
		t.Errorf("GetBucket() = %v", err)
	}
	if buckets, err := s3.Buckets(t.Context()); err != nil || len(buckets) > 0 {
		t.Errorf("left: %v, %v", buckets, err)
	}
	if files, err := os.ReadDir(filepath.Join(dir, outage.DirLose)); err != nil || len(files) > 0 {
		t.Errorf("files: %v, %v", files, err)
	}
	if _, err := backend.CreateBucket(t.Context(), fakedriver.BucketSpec{Name: "photos", Owner: "other"}); err != nil {
		t.Errorf("the name of a lost bucket: %v", err)
	}
}
