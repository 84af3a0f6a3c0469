package main_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

// TestE17E64ComponentsAlone runs the sidecar as a program of its own, before its driver. In other
// implementations the program was wired without a driver, or exited repeatedly until the driver
// started, and no test of its parts noticed.
func TestE17E64ComponentsAlone(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	info := h.up("--no-fake-driver")
	c := connect(t, info.Kubeconfig)
	socket := "unix://" + filepath.Join(h.dir, "d.sock")
	sidecar := h.start("sidecar", "--kubeconfig", info.Kubeconfig, "--endpoint", socket)
	driver := h.start("driver", "--driver-name", "mine.example.com", "--endpoint", socket, "--s3-bind-address", "127.0.0.1:0")

	class := &v1alpha2.BucketClass{
		ObjectMeta: metav1.ObjectMeta{Name: "mine"},
		Spec:       v1alpha2.BucketClassSpec{DriverName: "mine.example.com", DeletionPolicy: v1alpha2.DeletionPolicyDelete},
	}
	claim := &v1alpha2.BucketClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "data"},
		Spec:       v1alpha2.BucketClaimSpec{BucketClassName: "mine", Protocols: []v1alpha2.Protocol{v1alpha2.ProtocolS3}},
	}
	for _, object := range []client.Object{class, claim} {
		if err := c.client.Create(t.Context(), object); err != nil {
			t.Fatal(err)
		}
	}
	c.waitProvisioned(client.ObjectKeyFromObject(claim), claim, func() []metav1.Condition { return claim.Status.Conditions })
	for name, p := range map[string]*process{"sidecar": sidecar, "driver": driver} {
		p.signal(os.Interrupt)
		if code := p.wait(); code != 0 {
			t.Errorf("the %s ends with %d: %s", name, code, p.err.String())
		}
	}
}

// TestE65FatalErrors: a program that cannot continue exits with an error code.
// Spec: A1-LIFE-3
func TestE65FatalErrors(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	info := h.up("--no-fake-driver")
	for _, version := range []string{"v1alpha1", "v1alpha2"} {
		for _, args := range [][]string{
			{
				"sidecar", "--kubeconfig", info.Kubeconfig,
				"--endpoint", "unix://" + filepath.Join(h.dir, "absent.sock"), "--connect-timeout", "300ms",
			},
			{"controller", "--kubeconfig", filepath.Join(h.dir, "missing")},
			{"driver", "--endpoint", "unix://" + filepath.Join(h.dir, strings.Repeat("x", 200))},
		} {
			begin := time.Now()
			if r := h.run(append(args, "--api", version)...); r.code == 0 || r.err == "" {
				t.Errorf("%v of %s: exit code %d, %q, after %s", args, version, r.code, r.err, time.Since(begin))
			}
		}
	}
}
