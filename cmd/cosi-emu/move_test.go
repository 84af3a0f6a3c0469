package main_test

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/manifest"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// oldClaims are a claim and an access of v1alpha1, with their classes.
const oldClaims = `apiVersion: v1
kind: Namespace
metadata: {name: demo}
---
apiVersion: objectstorage.k8s.io/v1alpha1
kind: BucketClass
metadata: {name: gold}
driverName: old.example.com
deletionPolicy: Delete
---
apiVersion: objectstorage.k8s.io/v1alpha1
kind: BucketAccessClass
metadata: {name: key}
driverName: old.example.com
authenticationType: Key
---
apiVersion: objectstorage.k8s.io/v1alpha1
kind: BucketClaim
metadata: {namespace: demo, name: photos}
spec: {bucketClassName: gold, protocols: [S3]}
---
apiVersion: objectstorage.k8s.io/v1alpha1
kind: BucketAccess
metadata: {namespace: demo, name: photos-rw}
spec: {bucketClaimName: photos, bucketAccessClassName: key, credentialsSecretName: old, protocol: S3}
`

// TestMoveKeepsData writes data under v1alpha1 and reads them under v1alpha2, after the deployment
// of v1alpha1 except its driver was removed. Nothing is deleted in the backend, neither by the move
// nor with the objects of v1alpha2.
func TestMoveKeepsData(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	old, listen := "unix://"+filepath.Join(h.dir, "old.sock"), "unix://"+filepath.Join(h.dir, "new.sock")
	h.start("driver", "--dialect", "v1alpha1", "--driver-name", "old.example.com", "--endpoint", old, "--s3-bind-address", "127.0.0.1:0")

	kubeconfig := h.up("--name", "old", "--api", "v1alpha1", "--driver", old).Kubeconfig
	connect(t, kubeconfig).apply(oldClaims)
	before := openBucket(h.awaitAccess("old"))
	before.put(t, "hello", "world")
	h.write("new.yaml", h.must("migrate", "--kubeconfig", kubeconfig))
	h.must("down", "--name", "old")

	h.startBridge(old, listen)
	kubeconfig = h.up("--name", "new", "--driver", listen).Kubeconfig
	c := connect(t, kubeconfig)
	c.apply("apiVersion: v1\nkind: Namespace\nmetadata: {name: demo}\n")
	h.must("migrate", "apply", "--kubeconfig", kubeconfig, "-f", "new.yaml")
	claim, access := &v1alpha2.BucketClaim{}, &v1alpha2.BucketAccess{}
	c.waitProvisioned(claimKey, claim, func() []metav1.Condition { return claim.Status.Conditions })
	c.waitProvisioned(accessKey, access, func() []metav1.Condition { return access.Status.Conditions })
	after := openBucket(h.awaitAccess("new"))
	if got := after.get(t, "hello"); got != "world" {
		t.Errorf("under v1alpha2 the object is %q, want %q", got, "world")
	}
	after.put(t, "more", "data")

	c.remove(accessKey, access)
	c.remove(claimKey, claim)
	c.remove(client.ObjectKey{Name: claim.Status.BoundBucketName}, &v1alpha2.Bucket{})
	if code := after.rejection(t); code != "InvalidAccessKeyId" {
		t.Errorf("the key of the deleted access is rejected with %q", code)
	}
	for key, want := range map[string]string{"hello": "world", "more": "data"} {
		if got := before.get(t, key); got != want {
			t.Errorf("with the key of v1alpha1, object %s is %q, want %q", key, got, want)
		}
	}
}

// awaitAccess returns the Secret of access demo/photos-rw, once it is granted.
func (h *home) awaitAccess(emulator string) map[string]string {
	h.t.Helper()
	var variables map[string]string
	harness.Eventually(h.t, "the access is granted", func(context.Context) error {
		r := h.run("env", "--name", emulator, "--access", "demo/photos-rw", "-o", "json")
		if r.code != 0 {
			return errors.New(r.err)
		}
		return json.Unmarshal([]byte(r.out), &variables)
	})
	return variables
}

func (c *cluster) apply(text string) {
	c.t.Helper()
	objects, err := manifest.Decode([]byte(text))
	if err == nil {
		err = manifest.Apply(c.t.Context(), c.client, objects)
	}
	if err != nil {
		c.t.Fatal(err)
	}
}
