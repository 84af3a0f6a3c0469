package store_test

import (
	"bytes"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/fakedriver/store"
)

// largestFile returns the file that holds a large object.
func largestFile(t *testing.T, dir string) (name string, size int64) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err == nil && info.Size() > size {
			name, size = path, info.Size()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return name, size
}

// TestContentDamaged: content that cannot be read to its end is sent as far as it
// can be, and nothing else in its place.
func TestContentDamaged(t *testing.T) {
	dir := t.TempDir()
	s := serve(t, store.Options{Dir: dir})
	s.bucket(t, "photos")
	key := s.account(t, "app", readWrite("photos"))
	content := strings.Repeat("0123456789abcdef", 1<<20)
	put(t, s.client(t, key), "k", content)
	name, size := largestFile(t, dir)
	if size < int64(len(content)) {
		t.Fatalf("the largest file is %s, with %d bytes", name, size)
	}
	if err := os.Truncate(name, size-1<<20); err != nil {
		t.Fatal(err)
	}
	in := signed{method: http.MethodGet, path: "/photos/k", credentials: key, region: s.Region(), service: "s3", at: time.Now()}
	response, err := http.DefaultTransport.RoundTrip(in.request(t, s))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	got, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode == http.StatusOK {
		t.Errorf("the client has got %d bytes, and no error; the end is %q", len(got), got[max(0, len(got)-20):])
	}
	if response.StatusCode == http.StatusOK && !bytes.HasPrefix([]byte(content), got) {
		t.Errorf("the end of the content is %q", got[max(0, len(got)-20):])
	}
}
