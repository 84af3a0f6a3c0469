package main_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cosi-emu/cosi-emu/test/harness"
)

// initManifests import the bucket legacy, and grant an access to it.
const initManifests = `apiVersion: v1
kind: Namespace
metadata: {name: demo}
---
apiVersion: objectstorage.k8s.io/v1alpha2
kind: Bucket
metadata: {name: legacy}
spec:
  driverName: fake.cosi-emu
  deletionPolicy: Retain
  existingBucketID: legacy
  protocols: [S3]
  bucketClaimRef: {name: legacy, namespace: demo}
---
apiVersion: objectstorage.k8s.io/v1alpha2
kind: BucketClaim
metadata: {name: legacy, namespace: demo}
spec: {existingBucketName: legacy, protocols: [S3]}
---
apiVersion: objectstorage.k8s.io/v1alpha2
kind: BucketAccess
metadata: {name: photos-rw, namespace: demo}
spec:
  bucketAccessClassName: standard
  protocol: S3
  bucketClaims:
  - {bucketClaimName: legacy, accessSecretName: key, accessModes: {objectData: ReadWrite}}
`

func (h *home) writeInit(dir string, files map[string]string) {
	h.t.Helper()
	for name, content := range files {
		path := filepath.Join(h.dir, dir, filepath.FromSlash(name))
		err := os.MkdirAll(filepath.Dir(path), 0o700)
		if err := errors.Join(err, os.WriteFile(path, []byte(content), 0o600)); err != nil {
			h.t.Fatal(err)
		}
	}
}

// TestUpInit fills an emulator from a directory: an application reads the object of a bucket with
// an access that the directory requests. An emulator in the background explains how to stop it,
// without Ctrl-C.
func TestUpInit(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.writeInit("start", map[string]string{
		"1.yaml": initManifests, "buckets/legacy/2026/hello.txt": "hello", "buckets/legacy/more.txt": "more", "buckets/empty/.gitkeep": "",
	})
	up := h.run("up", "-d", "--control-plane", "embedded", "--init", "start")
	if up.code != 0 {
		t.Fatalf("exit code %d\n%s", up.code, up.err)
	}
	if text := up.out + up.err; strings.Contains(text, "Ctrl-C") || strings.Count(text, "cosi-emu down") != 1 {
		t.Errorf("it says:\n%s\nwant `cosi-emu down` once, and no Ctrl-C", text)
	}
	b := openBucket(h.awaitAccess("default"))
	for key, want := range map[string]string{"2026/hello.txt": "hello", "more.txt": "more"} {
		if got := b.get(t, key); got != want {
			t.Errorf("object %s is %q, want %q", key, got, want)
		}
	}
	var admin map[string]string
	decode(t, h.must("env", "--admin", "-o", "json"), &admin)
	empty := openBucket(admin)
	name := "empty"
	empty.name = &name
	harness.Eventually(t, "the empty bucket is there", func(ctx context.Context) error {
		keys, err := empty.list(ctx)
		if len(keys) > 0 {
			t.Errorf("the empty bucket has %q", keys)
		}
		return err
	})
}

// TestUpInitRejected: an invalid directory is rejected before anything starts.
func TestUpInitRejected(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.setTraps()
	h.writeInit("nothing", map[string]string{"README.md": "text"})
	h.writeInit("misspelt", map[string]string{"bucket/legacy/a": "text"})
	h.writeInit("file", map[string]string{"buckets/legacy": "text"})
	h.writeInit("invalid", map[string]string{"a.yaml": "kind: Namespace\nkind: Secret\n"})
	h.writeInit("full", map[string]string{"buckets/legacy/a": "text"})
	for _, tc := range []struct {
		reason, want string
		args         []string
	}{
		{"There is none.", "missing", []string{"--init", "missing"}},
		{"Perhaps another is meant.", "has neither manifests", []string{"--init", "nothing"}},
		{"Another name than buckets.", "the only directory can be buckets", []string{"--init", "misspelt"}},
		{"An object needs a bucket.", "each bucket must be a directory", []string{"--init", "file"}},
		{"The line is named.", "a.yaml:2: invalid YAML", []string{"--init", "invalid"}},
		{"No store for the buckets.", "has no store for them", []string{"--init", "full", "--no-fake-driver"}},
	} {
		r := h.run(append([]string{"up", "-d"}, tc.args...)...)
		if r.code != 2 || !strings.Contains(r.err, tc.want) {
			t.Errorf("%s %v: exit code %d, %s; want 2 and %q", tc.reason, tc.args, r.code, r.err, tc.want)
		}
		h.expectNothingStarted()
	}
}
