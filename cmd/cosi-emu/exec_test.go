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
