package protocol_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/gcs"
	"github.com/cosi-emu/cosi-emu/internal/store"
)

// oldObject is the file of an object in an earlier version.
func oldObject(t *testing.T, path, name, crc32c, more, content string) {
	t.Helper()
	text := fmt.Sprintf(`{"bucket":"photos","name":%q,"storageClass":"STANDARD","size":"%d","crc32c":%q%s}`+"\n%s",
		name, len(content), crc32c, more, content)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

const (
	twice = `,"generation":"1700000000000001","metageneration":"3","contentType":"text/x","metadata":{"Key":"1"},` +
		`"timeCreated":"2025-01-02T03:04:05.678Z","updated":"2025-02-03T04:05:06.789Z","customTime":"2024-01-01T00:00:00Z"`
	once = `,"generation":"1700000000000002","metageneration":"1",` +
		`"timeCreated":"2025-01-02T03:04:05Z","updated":"2025-01-02T03:04:05Z"`
)

// TestMigrate opens a directory of an earlier version. It expects the same objects, and the
// directory to be removed.
func TestMigrate(t *testing.T) {
	dir := t.TempDir()
	old := filepath.Join(dir, "gcs")
	in := filepath.Join(old, "photos")
	open := func(t *testing.T) *store.Store {
		t.Helper()
		s, err := store.New(store.Options{Dir: filepath.Join(dir, "store")})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
		return s
	}
	t.Run("Before", func(t *testing.T) {
		serveIn(t, gcs.Options{}, store.Options{Dir: filepath.Join(dir, "store")})
	})
	if err := os.MkdirAll(in, 0o700); err != nil {
		t.Fatal(err)
	}
	oldObject(t, filepath.Join(in, "1"), "a/x", "8P9ykg==", twice, "hello world\n")
	oldObject(t, filepath.Join(in, "2"), "empty", "AAAAAA==", once, "")
	oldObject(t, filepath.Join(in, "3.part"), "half", "AAAAAA==", once, "half")
	oldObject(t, filepath.Join(in, "4"), "damaged", "AAAAAA==", once, "other")
	t.Run("Damaged", func(t *testing.T) {
		err := gcs.Migrate(t.Context(), open(t), old)
		if err == nil || !strings.Contains(err.Error(), filepath.Join(in, "4")+" is damaged") || !strings.Contains(err.Error(), "remove it") {
			t.Errorf("Migrate() = %v, want the damaged file and the way out", err)
		}
	})
	if err := os.Remove(filepath.Join(in, "4")); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second has nothing to do
		t.Run("Migrate", func(t *testing.T) {
			if err := gcs.Migrate(t.Context(), open(t), old); err != nil {
				t.Error(err)
			}
		})
	}
	if _, err := os.Stat(old); !os.IsNotExist(err) {
		t.Errorf("the directory is there after the migration: %v", err)
	}
	expectMigrated(t, filepath.Join(dir, "store"))
}

func expectMigrated(t *testing.T, dir string) {
	t.Helper()
	f := serveIn(t, gcs.Options{}, store.Options{Dir: dir})
	key := bearer(f.account(t, "app", all("photos")))
	_, _, list := f.do(t, request{method: "GET", path: "/storage/v1/b/photos/o"}, key)
	type item struct {
		Name, Generation, Metageneration, ContentType, TimeCreated, Updated, CustomTime string
		Metadata                                                                        map[string]string
	}
	want := []item{
		{
			"a/x", "1700000000000001", "3", "text/x", "2025-01-02T03:04:05.678Z", "2025-02-03T04:05:06.789Z", "2024-01-01T00:00:00Z",
			map[string]string{"Key": "1"},
		},
		{"empty", "1700000000000002", "1", "", "2025-01-02T03:04:05Z", "2025-01-02T03:04:05Z", "", nil},
	}
	if diff := cmp.Diff(want, itemsOf[item](t, list)); diff != "" {
		t.Errorf("migrated objects: -want, +got:\n%s", diff)
	}
	if _, _, body := f.do(t, request{method: "GET", path: "/photos/a%2Fx"}, key); string(body) != "hello world\n" {
		t.Errorf("the object holds %q", body)
	}
}
