package protocol_test

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/gcs"
	"github.com/cosi-emu/cosi-emu/internal/store"
)

func TestDeleteBucket(t *testing.T) {
	f := serve(t, gcs.Options{})
	key := bearer(f.account(t, "app", all("photos")))
	f.do(t, request{method: "POST", path: upload + "&name=x", body: "content"}, key)
	if err := f.store.DeleteBucket(t.Context(), "other", "photos"); !errors.Is(err, fakedriver.ErrConflict) {
		t.Errorf("another owner deletes it: %v", err)
	}
	if err := f.store.DeleteBucket(t.Context(), owner, "photos"); !errors.Is(err, fakedriver.ErrNotEmpty) {
		t.Errorf("it has an object: %v", err)
	}
	f.do(t, request{method: "DELETE", path: "/storage/v1/b/photos/o/x"}, key)
	if err := f.store.DeleteBucket(t.Context(), owner, "photos"); err != nil {
		t.Error(err)
	}
	if status, _, body := f.do(t, request{method: "GET", path: "/storage/v1/b/photos/o"}, key); status != 404 {
		t.Errorf("the bucket is gone: %d %s", status, body)
	}
	if err := f.store.DeleteBucket(t.Context(), owner, "photos"); !errors.Is(err, fakedriver.ErrNotExist) {
		t.Errorf("again: %v", err)
	}
	f.bucket(t, "photos")
	if status, _, body := f.do(t, request{method: "GET", path: "/storage/v1/b/photos/o"}, key); status != 403 {
		t.Errorf("another bucket of that name: %d %s", status, body)
	}
}

func TestPurge(t *testing.T) {
	f := serve(t, gcs.Options{})
	spec := fakedriver.BucketSpec{Name: "heap", Owner: owner, Protocol: fakedriver.ProtocolGCS, Purge: true}
	for range 2 {
		if _, err := f.store.CreateBucket(t.Context(), spec); err != nil {
			t.Fatal(err)
		}
		key := bearer(f.account(t, "app", all("heap")))
		if status, _, body := f.do(t, request{method: "GET", path: "/storage/v1/b/heap/o"}, key); string(body) != `{"kind":"storage#objects"}` {
			t.Errorf("the bucket begins with: %d %s", status, body)
		}
		f.do(t, request{method: "POST", path: "/upload/storage/v1/b/heap/o?uploadType=media&name=x", body: "x"}, key)
		if err := f.store.DeleteBucket(t.Context(), owner, "heap"); err != nil {
			t.Fatal(err)
		}
	}
}

// busy are clients that upload with a key until some time after it is revoked.
type busy struct {
	revoked    atomic.Bool
	late, done atomic.Int64 // successes after and before the revocation
	clients    sync.WaitGroup
}

func (b *busy) run(t *testing.T, f *fixture, key string) {
	t.Helper()
	for after := 0; after < 3; {
		revoked := b.revoked.Load()
		status, _, _ := f.do(t, request{method: "POST", path: upload + "&name=x", body: "x"}, key)
		if status == ok && !revoked {
			b.done.Add(1)
		}
		if revoked {
			after++
			if status != 401 {
				b.late.Add(1)
			}
		}
	}
}

// TestRevocationUnderLoad revokes a busy key: later requests fail, and earlier ones change nothing.
func TestRevocationUnderLoad(t *testing.T) {
	f := serve(t, gcs.Options{})
	list := request{method: "GET", path: "/storage/v1/b/photos/o"}
	watcher, key := bearer(f.account(t, "watcher", all("photos"))), bearer(f.account(t, "app", all("photos")))
	var b busy
	for range 8 {
		b.clients.Go(func() { b.run(t, f, key) })
	}
	for deadline := time.Now().Add(10 * time.Second); b.done.Load() < 50 && time.Now().Before(deadline); {
		f.do(t, list, watcher)
	}
	if err := f.store.DeleteAccount(t.Context(), owner, "app"); err != nil {
		t.Error(err)
	}
	_, _, before := f.do(t, list, watcher)
	b.revoked.Store(true)
	b.clients.Wait()
	_, _, after := f.do(t, list, watcher)
	if b.late.Load() > 0 || b.done.Load() == 0 {
		t.Errorf("%d requests have succeeded after revocation, and %d before", b.late.Load(), b.done.Load())
	}
	if diff := cmp.Diff(string(before), string(after)); diff != "" {
		t.Errorf("something has changed after revocation: %s", diff)
	}
}

// TestKept restarts a service with a directory.
func TestKept(t *testing.T) {
	dir := t.TempDir()
	var key, resource string
	for life := range 3 {
		t.Run("Life", func(t *testing.T) {
			f := serveIn(t, gcs.Options{}, store.Options{Dir: dir})
			key = bearer(f.account(t, "app", all("photos")))
			if life == 0 {
				for _, name := range []string{"a", "a/b", "../up", "x", "gone"} {
					f.do(t, request{method: "POST", path: upload + "&name=" + name, body: "content of\n" + name}, key)
				}
				f.do(t, request{method: "PATCH", path: "/storage/v1/b/photos/o/x", body: `{"metadata":{"a":"1"}}`}, key)
				f.do(t, request{method: "DELETE", path: "/storage/v1/b/photos/o/gone"}, key)
			}
			_, _, list := f.do(t, request{method: "GET", path: "/storage/v1/b/photos/o?prefix=x"}, key)
			list = bytesWithout(list, f.address)
			if life > 0 && string(list) != resource {
				t.Errorf("before: %s, after: %s", resource, list)
			}
			resource = string(list)
			for name, want := range map[string]int{"a": 200, "a/b": 200, "..%2Fup": 200, "x": 200, "gone": 404} {
				if status, _, body := f.do(t, request{method: "GET", path: "/photos/" + name}, key); status != want {
					t.Errorf("%s: %d %s", name, status, body)
				}
			}
		})
	}
}
