package main_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// oldObjects are the objects of a v1alpha1 deployment whose driver chooses IDs.
const oldObjects = `apiVersion: objectstorage.k8s.io/v1alpha1
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
kind: Bucket
metadata: {name: bucket-0001, finalizers: [cosi.objectstorage.k8s.io/bucket-protection]}
spec:
  driverName: old.example.com
  bucketClassName: gold
  bucketClaim: {namespace: demo, name: photos}
  protocols: [S3]
  deletionPolicy: Retain
status: {bucketReady: true, bucketID: "arn:old:bucket-0001"}
---
apiVersion: objectstorage.k8s.io/v1alpha1
kind: BucketClaim
metadata: {namespace: demo, name: photos}
spec: {bucketClassName: gold, protocols: [S3]}
status: {bucketReady: true, bucketName: bucket-0001}
---
apiVersion: objectstorage.k8s.io/v1alpha1
kind: BucketAccess
metadata: {namespace: demo, name: photos-rw}
spec: {bucketClaimName: photos, bucketAccessClassName: key, credentialsSecretName: old, protocol: S3}
status: {accessGranted: true, accountID: "arn:old:ba-0001"}
`

const oldState = `{"buckets":{"arn:old:bucket-0001":null},"accounts":{"arn:old:ba-0001":"arn:old:bucket-0001"}}`

// TestMigrate takes over a bucket of a v1alpha1 driver whose IDs v1alpha2 does not allow. The
// application gets a new account, and the driver loses nothing of v1alpha1.
func TestMigrate(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	driver := h.newOldDriver("-id-prefix", "arn:old:")
	if err := os.WriteFile(driver.state, []byte(oldState), 0o600); err != nil {
		t.Fatal(err)
	}
	listen := "unix://" + filepath.Join(h.dir, "new.sock")
	h.startBridge(driver.socket, listen)
	kubeconfig := h.up("--driver", listen).Kubeconfig
	c := connect(t, kubeconfig)
	if err := c.client.Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "demo"}}); err != nil {
		t.Fatal(err)
	}
	h.write("old.yaml", oldObjects)
	h.write("new.yaml", h.must("migrate", "-f", "old.yaml"))
	apply := []string{"migrate", "apply", "--kubeconfig", kubeconfig, "-f", "new.yaml"}
	if out := h.must(append(apply, "--dry-run")...); strings.Count(out, "missing ") != 5 {
		t.Errorf("the dry run prints:\n%s", out)
	}
	if out := h.must(apply...); strings.Count(out, "created ") != 5 {
		t.Errorf("apply prints:\n%s", out)
	}
	claim, access := &v1alpha2.BucketClaim{}, &v1alpha2.BucketAccess{}
	c.waitProvisioned(claimKey, claim, func() []metav1.Condition { return claim.Status.Conditions })
	c.waitProvisioned(accessKey, access, func() []metav1.Condition { return access.Status.Conditions })
	c.checkSecretBucket(client.ObjectKey{Namespace: "demo", Name: "old-v1alpha2"}, "bucket-0001")
	if out := h.must(apply...); strings.Count(out, "unchanged ") != 5 || strings.Contains(out, "created") {
		t.Errorf("apply again prints:\n%s", out)
	}

	h.write("new.yaml", strings.Replace(h.must("migrate", "-f", "old.yaml"), "deletionPolicy: Delete", "deletionPolicy: Retain", 1))
	want := "different  BucketClass gold\n             spec.deletionPolicy: it is \"Delete\", not \"Retain\"\nNothing was created."
	if r := h.run(apply...); r.code != 1 || !strings.Contains(r.out, want) {
		t.Errorf("apply a difference: exit code %d\n%s%s", r.code, r.out, r.err)
	}

	c.remove(accessKey, access)
	c.remove(claimKey, claim)
	c.remove(client.ObjectKey{Name: "bucket-0001"}, &v1alpha2.Bucket{})
	driver.waitState(t, oldState)

	r := h.run("migrate", "--kubeconfig", kubeconfig)
	if r.code != 1 || r.out != "" || !strings.Contains(r.err, "serves versions [v1alpha2]") {
		t.Errorf("migrate v1alpha2: exit code %d\n%s%s", r.code, r.out, r.err)
	}
}

func (h *home) startBridge(driver, listen string) {
	h.t.Helper()
	bridge := h.start("bridge", "--driver", driver, "--listen", listen, "--state-dir", filepath.Join(h.dir, "ids"), "--assume-existing")
	harness.Until(h.t, "the bridge serves", func(context.Context) (bool, error) {
		return strings.Contains(bridge.err.String(), "bridge from "+listen), nil
	})
}

// checkSecretBucket checks the name of the bucket in a Secret for an application.
func (c *cluster) checkSecretBucket(key client.ObjectKey, want string) {
	c.t.Helper()
	secret := &corev1.Secret{}
	if err := c.client.Get(c.t.Context(), key, secret); err != nil {
		c.t.Fatal(err)
	}
	if got := string(secret.Data[v1alpha2.SecretKeyBucketName]); got != want {
		c.t.Errorf("the application gets bucket %q, want %s", got, want)
	}
}

// waitState waits until the driver has its state under v1alpha1 again.
func (d *oldDriver) waitState(t *testing.T, want string) {
	t.Helper()
	harness.Eventually(t, "the driver has what it had under v1alpha1", func(context.Context) error {
		content, err := os.ReadFile(d.state)
		if diff := cmp.Diff(want, string(content)); diff != "" {
			return errors.Join(err, errors.New(diff))
		}
		return err
	})
}

// TestMigrateOmits: the exit code reports omitted objects.
func TestMigrateOmits(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	unbound := strings.Replace(oldObjects, "bucketReady: true, bucketName: bucket-0001", "bucketReady: false", 1)
	ofCluster := strings.Replace(unbound, "name: photos}\nspec: {bucketClassName", "name: photos, uid: claim-1}\nspec: {bucketClassName", 1)
	h.write("old.yaml", ofCluster)
	r := h.run("migrate", "-f", "old.yaml", "-o", "json")
	if r.code != 1 || !strings.Contains(r.out, `"code": "ClaimNotBound"`) || !strings.Contains(r.out, `"existingBucketID"`) {
		t.Errorf("exit code %d\n%s", r.code, r.out)
	}
	if want := "Omitted objects: 2"; !strings.Contains(r.err, want) {
		t.Errorf("standard error lacks %q: %s", want, r.err)
	}
}

// TestMigrateWithoutNamespace: published manifests name no namespace.
func TestMigrateWithoutNamespace(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.write("old.yaml", strings.ReplaceAll(oldObjects, "namespace: demo, ", ""))
	for namespace, args := range map[string][]string{"default": nil, "shop": {"-n", "shop"}} {
		r := h.run(append([]string{"migrate", "-f", "old.yaml"}, args...)...)
		if r.code != 0 || strings.Count(r.out, "namespace: "+namespace) < 2 || !strings.Contains(r.err, "Namespace "+namespace+" is used") {
			t.Errorf("%v: exit code %d\n%s%s", args, r.code, r.out, r.err)
		}
	}
}

func TestMigrateRejected(t *testing.T) {
	t.Parallel()
	file := func(text string, args ...string) func(h *home) []string {
		return func(h *home) []string {
			h.write("in.yaml", text)
			return append(args, "-f", "in.yaml")
		}
	}
	expectRejected(t, map[string]invalidInput{
		"NoFile": {
			reason: "a file that does not exist", args: command("migrate", "-f", "none.yaml"), code: 2, says: []string{"none.yaml"},
		},
		"Empty": {reason: "nothing to translate", args: file("", "migrate"), code: 2, says: []string{"has no COSI objects"}},
		"Syntax": {
			reason: "not YAML, after what is right", args: file(oldObjects+"---\na: [\n", "migrate"), code: 2,
			says: []string{"in.yaml:", "invalid YAML"},
		},
		"Mixed": {
			reason: "both versions", args: file(oldObjects+"---\n"+newClass, "migrate"), code: 2,
			says: []string{"BucketClass new: it is of v1alpha2 already"},
		},
		"FileAndCluster": {
			reason: "two sources", args: command("migrate", "-f", "x", "--context", "y"), code: 2, says: []string{"exclude each other"},
		},
		"NamespaceOfCluster": {
			reason: "objects of a cluster have one", args: command("migrate", "-n", "demo"), code: 2, says: []string{"requires --filename"},
		},
		"Namespace": {
			reason: "not a name of a namespace", args: command("migrate", "-f", "x", "-n", "A_b"), code: 2, says: []string{`--namespace: "A_b"`},
		},
		"Suffix": {
			reason: "no Secret can be called so", args: command("migrate", "-f", "x", "--secret-suffix", "_"), code: 2,
			says: []string{"--secret-suffix"},
		},
		"Driver": {
			reason: "no such driver", args: file(oldObjects, "migrate", "--native-driver", "s3"), code: 2,
			says: []string{`no object is of driver "s3"; the drivers are ["old.example.com"]`},
		},
		"Output": {reason: "no such format", args: command("migrate", "-f", "x", "-o", "text"), code: 2, says: []string{"use yaml or json"}},
		"Kubeconfig": {
			reason: "no such kubeconfig", args: command("migrate", "--kubeconfig", "none"), code: 2, says: []string{"none"},
		},
		"Subcommand":  {reason: "no such command", args: command("migrate", "aply"), code: 2, says: []string{"do you mean apply?"}},
		"ApplyNoFile": {reason: "nothing to apply", args: command("migrate", "apply"), code: 2, says: []string{"--filename is required"}},
		"ApplyUnreachable": {
			reason: "no such cluster", args: file(newClass, "migrate", "apply", "--kubeconfig", "none"), code: 2, says: []string{"none"},
		},
	})
}

const newClass = "apiVersion: objectstorage.k8s.io/v1alpha2\nkind: BucketClass\nmetadata: {name: new}\n" +
	"spec: {driverName: d, deletionPolicy: Retain}\n"
