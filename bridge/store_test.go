package bridge_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/cosi-emu/cosi-emu/bridge"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/controlplanetest"
)

func openDirectory(t *testing.T, path string) *bridge.Directory {
	t.Helper()
	directory, err := bridge.OpenDirectory(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = directory.Close() })
	return directory
}

// TestStores: every kind of store keeps texts, of any length of key, and another one on
// the same place finds them.
func TestStores(t *testing.T) {
	long := "bucket/" + strings.Repeat("x", 2048)
	directory := filepath.Join(t.TempDir(), "state")
	for name, open := range map[string]func(*testing.T) bridge.KeyStore{
		"Directory": func(t *testing.T) bridge.KeyStore {
			t.Helper()
			return openDirectory(t, directory)
		},
		"ConfigMaps": func(t *testing.T) bridge.KeyStore {
			t.Helper()
			client, err := kubernetes.NewForConfig(controlplanetest.Start(t).AdminConfig())
			if err != nil {
				t.Fatal(err)
			}
			return bridge.NewConfigMaps(client.CoreV1().ConfigMaps(metav1.NamespaceDefault), "store-test")
		},
	} {
		t.Run(name, func(t *testing.T) {
			store := open(t)
			for _, write := range []struct{ key, value string }{{"a", "1"}, {"a", "2"}, {long, "3"}, {"gone", "4"}} {
				if err := store.Save(t.Context(), write.key, write.value); err != nil {
					t.Fatalf("save %.10s: %v", write.key, err)
				}
			}
			for range 2 { // an absent record, too
				if err := store.Delete(t.Context(), "gone"); err != nil {
					t.Fatal(err)
				}
			}
			if d, ok := store.(*bridge.Directory); ok {
				_ = d.Close()
			}
			again := open(t)
			keys, err := again.Keys(t.Context())
			slices.Sort(keys)
			if diff := cmp.Diff([]string{"a", long}, keys); diff != "" || err != nil {
				t.Errorf("keys: %v (-want +got):\n%s", err, diff)
			}
			got := read(t, again, "a", long, "gone")
			if diff := cmp.Diff(map[string]string{"a": "2", long: "3"}, got); diff != "" {
				t.Errorf("what was stored (-want +got):\n%s", diff)
			}
		})
	}
}

func read(t *testing.T, store bridge.Store, keys ...string) map[string]string {
	t.Helper()
	got := map[string]string{}
	for _, key := range keys {
		value, found, err := store.Load(t.Context(), key)
		if err != nil {
			t.Fatal(err)
		}
		if found {
			got[key] = value
		}
	}
	return got
}

// TestDirectoryIsTaken: two bridges on one directory would not see each other's calls.
func TestDirectoryIsTaken(t *testing.T) {
	path := t.TempDir()
	openDirectory(t, path)
	if _, err := bridge.OpenDirectory(path); err == nil || !strings.Contains(err.Error(), "is in use by another bridge") {
		t.Errorf("error %v, want that it is in use", err)
	}
}

// TestDirectoryIsPrivate: only the owner reads the files. A file that another program
// has changed is not taken for an ID.
func TestDirectoryIsPrivate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state")
	directory := openDirectory(t, path)
	if err := directory.Save(context.WithoutCancel(t.Context()), "a", "1"); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(path, "*"))
	if err != nil || len(files) != 2 {
		t.Fatalf("files %v, %v; want the lock and one more", files, err)
	}
	for _, file := range files {
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		if mode := info.Mode().Perm(); mode != 0o600 {
			t.Errorf("%s has mode %o, want 600", file, mode)
		}
		if err := os.WriteFile(file, []byte(`{"key":"b","value":"2"}`), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if value, _, err := directory.Load(t.Context(), "a"); err == nil {
		t.Errorf("a changed file is read as %q", value)
	}
}
