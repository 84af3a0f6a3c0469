package main_test

import (
	"context"
	"net/url"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/instance"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// TestProgramsData stops, restarts and kills an emulator with a data directory.
func TestProgramsData(t *testing.T) {
	t.Parallel()
	h := newHomeWithPrograms(t)
	data := filepath.Join(h.dir, "data")
	first := h.up("--data-dir", data)
	secret := connect(t, first.Kubeconfig).quickstart()
	openBucket(secret).put(t, "hello.txt", "hello")
	h.must("down")
	h.expectNothingLeft()

	// The Secret must contain the new port.
	second := h.up("--data-dir", data)
	moved := expectData(t, second, secret)
	openBucket(moved).put(t, "more.txt", "more")
	h.killEmulator(second)

	store, err := url.Parse(second.S3Endpoint)
	if err != nil {
		t.Fatal(err)
	}
	third := h.up("--data-dir", data, "--s3-port", store.Port())
	last := expectData(t, third, secret)
	if got := openBucket(last).get(t, "more.txt"); got != "more" {
		t.Errorf("after kill -9 the object is %q", got)
	}
	if diff := cmp.Diff(moved, last); diff != "" {
		t.Errorf("the Secret after a restart on the same port: -want, +got:\n%s", diff)
	}
	h.must("down")
}

// expectData expects the object of the first emulator and the same credentials, except for the
// address of the store. It returns the Secret.
func expectData(t *testing.T, info instance.Info, old map[string]string) map[string]string {
	t.Helper()
	c := connect(t, info.Kubeconfig)
	var secret map[string]string
	harness.Until(t, "the Secret says where the store is now", func(context.Context) (bool, error) {
		secret = c.secret()
		return secret[v1alpha2.SecretKeyS3Endpoint] == info.S3Endpoint, nil
	})
	same := cmp.FilterPath(func(p cmp.Path) bool {
		return p.Last().String() == `["`+v1alpha2.SecretKeyS3Endpoint+`"]`
	}, cmp.Ignore())
	if diff := cmp.Diff(old, secret, same); diff != "" {
		t.Errorf("the Secret after a restart: -before, +after:\n%s", diff)
	}
	if got := openBucket(secret).get(t, "hello.txt"); got != "hello" {
		t.Errorf("after a restart the object is %q", got)
	}
	return secret
}
