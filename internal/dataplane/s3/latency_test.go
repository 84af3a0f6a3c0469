package s3_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/test/s3test"
)

// slow is a store without a network, in a bubble of synctest, with a slow and an ordinary bucket,
// and a key to both.
func slow(t *testing.T) (*s3test.Server, fakedriver.Credentials) {
	t.Helper()
	s, err := s3test.Open(s3test.Options{})
	if err != nil {
		t.Fatal(err)
	}
	spec := fakedriver.AccountSpec{ID: "app", Owner: s3test.Owner}
	for name, latency := range map[string]time.Duration{"slow": 3 * time.Second, "fast": 0} {
		if _, err := s.CreateBucket(t.Context(), fakedriver.BucketSpec{Name: name, Owner: s3test.Owner, Latency: latency}); err != nil {
			t.Fatal(err)
		}
		spec.Grants = append(spec.Grants, s3test.ReadWrite(name))
	}
	key, err := s.PutAccount(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	return s, key
}

// head sends HeadBucket, and returns the status and the duration of the response.
func head(ctx context.Context, t *testing.T, s *s3test.Server, key fakedriver.Credentials, bucket string) (int, time.Duration) {
	t.Helper()
	in := s3test.Signed{Method: http.MethodHead, Path: "/" + bucket, Credentials: key, Region: s.Region(), Service: "s3", At: time.Now()}
	r, err := in.Build(ctx, "http://127.0.0.1:1")
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	began := time.Now()
	s.Handler().ServeHTTP(w, r)
	return w.Code, time.Since(began)
}

func TestLatency(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, key := slow(t)
		defer func() { _ = s.Close() }()
		for bucket, want := range map[string]time.Duration{"slow": 3 * time.Second, "fast": 0} {
			if status, took := head(t.Context(), t, s, key, bucket); status != http.StatusOK || took != want {
				t.Errorf("HEAD of bucket %q answered %d after %s, want %d after %s", bucket, status, took, http.StatusOK, want)
			}
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, took := head(ctx, t, s, key, "slow"); took != time.Second {
			t.Errorf("a request whose client had gone took %s, want 1s", took)
		}
	})
}

func TestLatencyEndsWithStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, key := slow(t)
		time.AfterFunc(time.Second, func() {
			if err := s.Close(); err != nil {
				t.Errorf("Close(): %v", err)
			}
		})
		status, took := head(t.Context(), t, s, key, "slow")
		if status != http.StatusServiceUnavailable || took != time.Second {
			t.Errorf("a request in a store that was closed answered %d after %s, want 503 after 1s", status, took)
		}
	})
}
