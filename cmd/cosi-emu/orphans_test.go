package main_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

// TestOrphans finds nothing in a healthy emulator, and the orphans of a cluster whose backend a command lists.
func TestOrphans(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	info := h.up("--control-plane", "embedded")
	c := connect(t, info.Kubeconfig)
	c.quickstart()
	if out := h.must("orphans"); out != "Orphans: 0. Compared: objects, buckets, accounts.\n" {
		t.Errorf("orphans of a healthy emulator:\n%s", out)
	}
}

// orphansReport has the fields of the output that the test reads.
type orphansReport struct {
	Compared []string `json:"compared"`
	Orphans  []orphan `json:"orphans"`
}

type orphan struct {
	Kind   string `json:"kind"`
	Object string `json:"object"`
}

// TestOrphansOfCluster finds the orphans of a cluster whose backend a command lists.
func TestOrphansOfCluster(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	info := h.up("--control-plane", "embedded", "--no-fake-driver")
	if r := h.run("orphans"); r.code != 3 || !strings.Contains(r.err, "--list-command") {
		t.Errorf("without a backend, exit code %d: %s", r.code, r.err)
	}
	connect(t, info.Kubeconfig).makeLostBucket()
	list := h.write("buckets", "legacy\nextra 2026\n")
	r := h.run("orphans", "--kubeconfig", info.Kubeconfig, "--list-command", "cat "+list, "-o", "json")
	var report orphansReport
	if err := json.Unmarshal([]byte(r.out), &report); err != nil {
		t.Fatalf("exit code %d, %v: %s%s", r.code, err, r.out, r.err)
	}
	want := orphansReport{
		Compared: []string{"objects", "buckets"},
		Orphans:  []orphan{{"UnrecordedBucket", "bucket extra"}, {"BucketWithoutClaim", "Bucket/bc-lost"}},
	}
	if diff := cmp.Diff(want, report); diff != "" || r.code != 1 {
		t.Errorf("exit code %d (-want +got):\n%s", r.code, diff)
	}
	r = h.run("orphans", "--kubeconfig", info.Kubeconfig)
	if r.code != 1 || !strings.Contains(r.out, "-> delete the Bucket: the bucket and its data stay") {
		t.Errorf("exit code %d: %s%s", r.code, r.out, r.err)
	}
}

// makeLostBucket makes a Bucket whose claim does not exist.
func (c *cluster) makeLostBucket() {
	c.t.Helper()
	bucket := &v1alpha2.Bucket{}
	bucket.Name = "bc-lost"
	bucket.Spec.DriverName, bucket.Spec.DeletionPolicy, bucket.Spec.ExistingBucketID = "a.example.com", v1alpha2.DeletionPolicyRetain, "legacy"
	bucket.Spec.BucketClaimRef = v1alpha2.BucketClaimReference{Namespace: "demo", Name: "gone"}
	bucket.Spec.Protocols = []v1alpha2.Protocol{v1alpha2.ProtocolS3}
	if err := c.client.Create(c.t.Context(), bucket); err != nil {
		c.t.Fatal(err)
	}
	uid := client.RawPatch(types.MergePatchType, []byte(`{"spec":{"bucketClaimRef":{"uid":"11111111-1111-1111-1111-111111111111"}}}`))
	if err := c.client.Patch(c.t.Context(), bucket, uid); err != nil {
		c.t.Fatal(err)
	}
}
