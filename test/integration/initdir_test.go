package integration_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
	"github.com/cosi-emu/cosi-emu/internal/initdir"
)

// bucketManifest imports the bucket legacy.
const bucketManifest = `apiVersion: objectstorage.k8s.io/v1alpha2
kind: Bucket
metadata: {name: legacy}
spec:
  driverName: fake.cosi-emu
  deletionPolicy: Retain
  existingBucketID: legacy
  protocols: [S3]
  bucketClaimRef: {name: legacy, namespace: default}
`

// write writes files below a new directory.
func writeFiles(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestReadRejects(t *testing.T) {
	tests := map[string]struct {
		reason string
		files  map[string]string
		want   string
	}{
		"Nothing":   {reason: "Perhaps another directory is meant.", files: map[string]string{"README.md": "a"}, want: "has neither manifests"},
		"Directory": {reason: "It may be misspelt.", files: map[string]string{"bucket/a/b": ""}, want: "the only directory can be buckets"},
		"File":      {reason: "An object needs a bucket.", files: map[string]string{"buckets/a": ""}, want: "each bucket must be a directory"},
		"YAML": {
			reason: "The line is named.", files: map[string]string{"a.yaml": "kind: Namespace\nkind: Secret\n"}, want: "a.yaml:2: invalid YAML",
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := initdir.Read(writeFiles(t, tc.files))
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%s got %v, want %q", tc.reason, err, tc.want)
			}
		})
	}
	for content, want := range map[string]string{"kind: [\n": "a.txt:1: invalid YAML", "# nothing\n": "a.txt has no objects"} {
		_, err := initdir.Read(filepath.Join(writeFiles(t, map[string]string{"a.txt": content}), "a.txt"))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("a manifest with %q: got %v, want %q", content, err, want)
		}
	}
	if _, err := initdir.Read(filepath.Join(t.TempDir(), "missing")); err == nil {
		t.Error("a missing directory is accepted")
	}
}

func apply(t *testing.T, emu *emulator.Emulator, dir string) {
	t.Helper()
	contents, err := initdir.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := contents.Apply(t.Context(), emu); err != nil {
		t.Fatal(err)
	}
}

// TestApply fills an emulator, and again, as a restart with a data directory does.
func TestInitDirectory(t *testing.T) {
	t.Parallel()
	emu := emulatortest.Start(t, emulator.Options{})
	dir := writeFiles(t, map[string]string{
		"1-bucket.yaml": bucketManifest, "README.md": "ignored", "buckets/empty/.gitkeep": "",
		"buckets/legacy/hello.txt": "hello", "buckets/legacy/2026/photo.jpg": "jpg",
	})
	apply(t, emu, dir)
	apply(t, emu, dir)
	got := map[string][]string{}
	buckets, err := emu.Store().Buckets(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range buckets {
		got[b.Name] = emu.Store().Contents(t.Context(), b.Name).Keys
	}
	if diff := cmp.Diff(map[string][]string{"empty": nil, "legacy": {"2026/photo.jpg", "hello.txt"}}, got); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	bucket := &v1alpha2.Bucket{}
	if err := emu.Client().Get(t.Context(), client.ObjectKey{Name: "legacy"}, bucket); err != nil {
		t.Errorf("the manifest is not applied: %v", err)
	}
}

func TestInitDirectoryNamesTheManifest(t *testing.T) {
	t.Parallel()
	emu := emulatortest.Start(t, emulator.Options{})
	wrong := "# a\n" + strings.Replace(bucketManifest, "Retain", "Forget", 1)
	contents, err := initdir.Read(writeFiles(t, map[string]string{"wrong.yaml": wrong}))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if err := contents.Apply(ctx, emu); err == nil || !strings.Contains(err.Error(), "wrong.yaml:2: apply Bucket") {
		t.Errorf("got %v, want an error with the position of the manifest", err)
	}
}
