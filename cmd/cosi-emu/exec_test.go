package main_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/examples"
)

func (h *home) write(name, text string) string {
	h.t.Helper()
	root, err := os.OpenRoot(h.dir)
	if err != nil {
		h.t.Fatal(err)
	}
	if err := errors.Join(root.WriteFile(name, []byte(text), 0o600), root.Close()); err != nil {
		h.t.Fatal(err)
	}
	return filepath.Join(h.dir, name)
}

func TestExec(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	manifest := h.write("quickstart.yaml", string(examples.Quickstart))
	// The command gets the environment, needs no standard input, and its exit code is passed on.
	script := `[ -r "$KUBECONFIG" ] && [ -n "$COSI_ENDPOINT" ] &&
printf '{"id":"%s","bucket":"%s"}' "$AWS_ACCESS_KEY_ID" "$BUCKET_NAME"; exit 7`
	r := h.run("exec", "--apply", manifest, "--access", "demo/photos-rw", "--", "sh", "-c", script)
	if r.code != 7 {
		t.Errorf("exit code %d, want that of the command: %s", r.code, r.err)
	}
	var got struct {
		ID     string `json:"id"`
		Bucket string `json:"bucket"`
	}
	if err := json.Unmarshal([]byte(r.out), &got); err != nil || got.ID == "" || got.Bucket == "" {
		t.Errorf("the command has printed %q, want a key and a bucket, and nothing else: %v", r.out, err)
	}
	h.expectNothingLeft()
}

func TestExecKilledCommand(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	r := h.run("exec", "--no-fake-driver", "--", "sh", "-c", "kill -9 $$")
	if r.code != 128+9 {
		t.Errorf("exit code %d, want that of a killed command: %s", r.code, r.err)
	}
	h.expectNothingLeft()
}

func TestExecRefusedManifest(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	manifest := h.write("bad.yaml", `{"apiVersion": "`+v1alpha2.SchemeGroupVersion.String()+`", "kind": "BucketClaim",
"metadata": {"name": "both"}, "spec": {"bucketClassName": "standard", "existingBucketName": "mine", "protocols": ["S3"]}}`)
	r := h.run("exec", "--apply", manifest, "--", "echo", "must not run")
	if r.code != 1 || r.out != "" {
		t.Errorf("exit code %d, output %q", r.code, r.out)
	}
	for _, want := range []string{"bad.yaml", "BucketClaim default/both", "existingBucketName"} {
		if !strings.Contains(r.err, want) {
			t.Errorf("it does not say %q, but: %s", want, r.err)
		}
	}
	h.expectNothingLeft()
}

// TestExecRejectedParameter: the driver rejects the parameter of a class. In both versions exec ends with this cause, and not with
// the end of its wait.
func TestExecRejectedParameter(t *testing.T) {
	t.Parallel()
	const class = `{"apiVersion": "objectstorage.k8s.io/VERSION", "kind": "BucketClass", "metadata": {"name": "odd"}, `
	for version, tc := range map[string]struct{ class, access string }{
		"v1alpha2": {
			class + `"spec": {"driverName": "fake.cosi-emu", "deletionPolicy": "Delete", "parameters": {"quotaBytes": "lots"}}}`,
			`{"bucketAccessClassName": "standard", "protocol": "S3", "bucketClaims": [{"bucketClaimName": "photos",
"accessSecretName": "keys", "accessModes": {"objectData": "ReadWrite"}}]}`,
		},
		"v1alpha1": {
			class + `"driverName": "fake.cosi-emu", "deletionPolicy": "Delete", "parameters": {"quotaBytes": "lots"}}`,
			`{"bucketAccessClassName": "standard", "protocol": "s3", "bucketClaimName": "photos", "credentialsSecretName": "keys"}`,
		},
	} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			h := newHome(t)
			manifest := h.write("odd.yaml", strings.ReplaceAll(tc.class+`
---
{"apiVersion": "objectstorage.k8s.io/VERSION", "kind": "BucketClaim", "metadata": {"name": "photos"},
"spec": {"bucketClassName": "odd", "protocols": ["S3"]}}
---
{"apiVersion": "objectstorage.k8s.io/VERSION", "kind": "BucketAccess", "metadata": {"name": "rw"}, "spec": `+
				tc.access+"}\n", "VERSION", version))
			r := h.run("exec", "--api", version, "--apply", manifest, "--access", "default/rw", "--", "echo", "must not run")
			if r.code != 1 || r.out != "" {
				t.Errorf("exit code %d, output %q", r.code, r.out)
			}
			for _, want := range []string{
				"default/rw", "COSI does not retry until an object is corrected: Bucket \"", `parameter quotaBytes is "lots"`,
			} {
				if !strings.Contains(r.err, want) {
					t.Errorf("the error has no %q: %s", want, r.err)
				}
			}
			h.expectNothingLeft()
		})
	}
}
