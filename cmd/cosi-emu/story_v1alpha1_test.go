package main_test

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
)

// TestStoryOfV1alpha1 follows docs/v1alpha1.md as a new user.
func TestStoryOfV1alpha1(t *testing.T) {
	t.Parallel()
	h := newHomeWithPrograms(t)
	banner := h.must("up", "--api", "v1alpha1", "-d")
	for _, want := range []string{"  COSI API       v1alpha1\n", " example --api v1alpha1 | kubectl "} {
		if !strings.Contains(banner, want) {
			t.Errorf("up does not print %q:\n%s", want, banner)
		}
	}
	info := h.info("status", "-o", "json")
	c := connect(t, info.Kubeconfig)
	example := h.must("example", "--api", "v1alpha1")
	c.apply(example)
	bucket := openBucket(h.awaitAccess(info.Name))
	bucket.put(t, "hello", "world")
	if got := bucket.get(t, "hello"); got != "world" {
		t.Errorf("the object is %q, want %q", got, "world")
	}
	c.remove(accessKey, &v1alpha1.BucketAccess{})
	if code := bucket.rejection(t); code != "InvalidAccessKeyId" {
		t.Errorf("the key of the deleted access is rejected with %q", code)
	}
	c.remove(claimKey, &v1alpha1.BucketClaim{})
	c.remove(client.ObjectKey{Name: "demo"}, &corev1.Namespace{})
	h.must("down")

	got := h.must("exec", "--api", "v1alpha1", "--apply", h.write("example.yaml", example), "--access", "demo/photos-rw",
		"--", "sh", "-c", `echo "$COSI_PROTOCOL"`)
	if got != "S3\n" {
		t.Errorf("exec runs an application with protocol %q, want S3", got)
	}
	h.expectNothingLeft()
}
