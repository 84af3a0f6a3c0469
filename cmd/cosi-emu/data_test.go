package main_test

import (
	"context"
	"encoding/json"
	"net/url"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

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
	h.expectEnvWaits(second)
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

// expectEnvWaits has a driver that is slow to return the address of its store: the Secret has an earlier one meanwhile.
func (h *home) expectEnvWaits(info instance.Info) {
	h.t.Helper()
	h.must("fault", "add", "slow", "--operation", "DriverGrantBucketAccess", "--delay", "1s")
	const earlier = "http://127.0.0.1:1"
	before, err := json.Marshal(map[string]any{"stringData": map[string]string{v1alpha2.SecretKeyS3Endpoint: earlier}})
	if err != nil {
		h.t.Fatal(err)
	}
	c := connect(h.t, info.Kubeconfig)
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: secretKey.Namespace, Name: secretKey.Name}}
	if err := c.client.Patch(h.t.Context(), secret, client.RawPatch(types.MergePatchType, before)); err != nil {
		h.t.Fatal(err)
	}
	variables := h.fromJSON(h.must("env", "--access", accessKey.String(), "-o", "json"))
	if got := variables[v1alpha2.SecretKeyS3Endpoint]; got != info.S3Endpoint {
		h.t.Errorf("env has the endpoint %s, and the store is at %s", got, info.S3Endpoint)
	}
	h.must("fault", "clear")
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
