package main_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/controlplanetest"
	testcluster "github.com/cosi-emu/cosi-emu/test/cluster"
)

// TestSidecarOfV1alpha1 runs the sidecar as a program of its own, for a driver of v1alpha1, which
// starts later. A driver of the other version is rejected by name, and so is a sidecar of another group, also without --leader-elect.
func TestSidecarOfV1alpha1(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	plane := controlplanetest.StartVersion(t, objectstorage.V1alpha1)
	kubeconfig := h.write("kubeconfig", string(plane.Kubeconfig()))
	admin, err := testcluster.Connect(plane.AdminConfig())
	if err != nil {
		t.Fatal(err)
	}
	c := &testcluster.Cluster{TB: t, Client: admin}
	socket := "unix://" + filepath.Join(h.dir, "old.sock")
	args := []string{
		"sidecar", "--api", "v1alpha1", "--kubeconfig", kubeconfig, "--endpoint", socket, "--leader-election-namespace", "default",
	}
	sidecar := h.start(append(args, "--driver-group", "ours")...)
	driver := h.start("driver", "--dialect", "v1alpha1", "--driver-name", "old.example.com",
		"--endpoint", socket, "--s3-bind-address", "127.0.0.1:0")
	bucket := &v1alpha1.Bucket{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "bucket-"},
		Spec: v1alpha1.BucketSpec{
			DriverName: "old.example.com", BucketClassName: "some", BucketClaim: &corev1.ObjectReference{},
			Protocols: []v1alpha1.Protocol{v1alpha1.ProtocolS3}, DeletionPolicy: v1alpha1.DeletionPolicyDelete,
		},
	}
	c.Must(c.Create(t.Context(), bucket))
	c.Eventually(func() error {
		if err := c.Refresh(bucket); err != nil || bucket.Status.BucketReady {
			return err
		}
		return os.ErrNotExist
	})
	c.Must(c.Delete(t.Context(), bucket))
	c.Eventually(func() error {
		if err := c.Refresh(bucket); err != nil {
			return client.IgnoreNotFound(err)
		}
		return os.ErrExist
	})
	for reason, rejected := range map[string]struct {
		args []string
		want string
	}{
		"of another group": {append(args, "--driver-group", "theirs", "--driver-name-timeout", "0s"), "--take-over=ours"},
		"of v1alpha2":      {[]string{"sidecar", "--kubeconfig", kubeconfig, "--endpoint", socket, "--dialect", "kep"}, "v1alpha1"},
		"of no version":    {[]string{"sidecar", "--api", "v1", "--kubeconfig", kubeconfig}, "must be v1alpha1 or v1alpha2"},
	} {
		if r := h.run(rejected.args...); r.code == 0 || !strings.Contains(r.err, rejected.want) {
			t.Errorf("a sidecar %s: exit code %d, %q", reason, r.code, r.err)
		}
	}
	for name, p := range map[string]*process{"sidecar": sidecar, "driver": driver} {
		p.signal(os.Interrupt)
		if code := p.wait(); code != 0 {
			t.Errorf("the %s ends with %d: %s", name, code, p.err.String())
		}
	}
}
