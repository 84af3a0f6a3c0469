package main_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/deploy"
	"github.com/cosi-emu/cosi-emu/internal/instance"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// TestExistingCluster runs the story of the README on an existing cluster.
// KEP: PRR-2, PRR-3
func TestExistingCluster(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	x := h.newExisting()

	r := h.run(append([]string{"up"}, x.args()...)...)
	for _, want := range []string{"COSI is not installed in the cluster", "buckets", "--install"} {
		if r.code != 1 || !strings.Contains(r.err, want) {
			t.Errorf("without COSI: exit code %d, and it does not say %q, but: %s", r.code, want, r.err)
		}
	}
	x.expectClean()

	info := h.up(x.args("--install")...)
	checkExisting(t, h, x, info)
	refuseSecond(t, h, x)

	c := connect(t, info.Kubeconfig)
	b := openBucket(c.quickstart())
	b.put(t, "hello.txt", "hello")
	logs := h.must("logs")
	if !strings.Contains(logs, "DriverCreateBucket") || !strings.Contains(logs, "create buckets") || strings.Contains(logs, "Forbidden") {
		t.Errorf("the logs lack an operation, or show a rejected request:\n%s", logs)
	}
	env := h.must("env", "--access", "demo/photos-rw")
	if !strings.Contains(env, info.Kubeconfig) || !strings.Contains(env, "AWS_ACCESS_KEY_ID") {
		t.Errorf("env says:\n%s", env)
	}
	c.remove(accessKey, &v1alpha2.BucketAccess{})
	c.removeClaim()
	if r := h.run("down"); r.code != 0 || r.err != "" {
		t.Errorf("down: exit code %d, %s", r.code, r.err)
	}
	x.expectClean()
	h.expectNothingLeft()
}

// checkExisting checks the description of an emulator.
func checkExisting(t *testing.T, h *home, x *existing, info instance.Info) {
	t.Helper()
	if info.Context != "mine" || info.APIServer != x.server {
		t.Errorf("it runs in context %q on %s", info.Context, info.APIServer)
	}
	want := []string{"controller Running", "driver Running", "sidecar Running", "store Running"}
	if diff := cmp.Diff(want, componentNames(info)); diff != "" {
		t.Errorf("components: -want, +got:\n%s", diff)
	}
	if text := h.must("status"); !strings.Contains(text, "mine") || !strings.Contains(text, "Warning: the S3 endpoint is on this machine") {
		t.Errorf("status says:\n%s", text)
	}
}

// refuseSecond expects that another emulator detects the first.
func refuseSecond(t *testing.T, h *home, x *existing) {
	t.Helper()
	r := h.run(append([]string{"up", "--name", "second"}, x.args("--install")...)...)
	if r.code != 1 {
		t.Errorf("a second emulator on the cluster: exit code %d", r.code)
	}
	for _, want := range []string{"belongs to an emulator", `"default"`} {
		if !strings.Contains(r.err, want) {
			t.Errorf("a second emulator on the cluster does not say %q, but: %s", want, r.err)
		}
	}
	// On another machine, only the Lease is visible.
	elsewhere := newHome(t)
	r = elsewhere.run(append([]string{"up", "--name", "second"}, x.args("--install")...)...)
	for _, want := range []string{"a COSI controller", "Lease cosi-system/cosi-controller-leader is held by", "scale deployment"} {
		if r.code != 1 || !strings.Contains(r.err, want) {
			t.Errorf("an emulator on another machine: exit code %d, and does not say %q, but: %s", r.code, want, r.err)
		}
	}
	elsewhere.expectNothingLeft()
}

// TestExistingClusterLeft stops emulators, gracefully or by a kill, while objects of users exist.
// KEP: PRR-3
func TestExistingClusterLeft(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	x := h.newExisting()
	info := h.up(x.args("--install")...)
	connect(t, info.Kubeconfig).quickstart()

	r := h.run("down")
	for _, want := range []string{
		"BucketAccess demo/photos-rw", "BucketClaim demo/photos", "Bucket bc-", "the COSI kinds, because there are",
	} {
		if r.code != 0 || !strings.Contains(r.err, want) {
			t.Errorf("down: exit code %d, and it does not say %q is left, but: %s", r.code, want, r.err)
		}
	}
	killed := h.up(x.args("--install")...)
	kill(t, killed.PID)
	waitDead(t, h)                       // a killed process has its lock for a moment
	next := h.up(x.args("--install")...) // waits until the Lease of the killed one has expired
	c := connect(t, next.Kubeconfig)
	c.remove(accessKey, &v1alpha2.BucketAccess{})
	c.removeClaim()

	kill(t, next.PID)
	waitDead(t, h)
	if r := h.run("up"); r.code != 1 || !strings.Contains(r.err, `context "mine"`) || !strings.Contains(r.err, "cosi-emu down") {
		t.Errorf("an emulator after a killed one that ran elsewhere: exit code %d, %s", r.code, r.err)
	}
	if r := h.run("down"); r.code != 0 || r.err != "" || !strings.Contains(r.out, "not running") {
		t.Errorf("down of a killed emulator: exit code %d, %s%s", r.code, r.out, r.err)
	}
	x.expectClean()
	h.expectNothingLeft()
}

// waitDead waits until the name of the emulator is free.
func waitDead(t *testing.T, h *home) {
	t.Helper()
	harness.Until(t, "the emulator is dead", func(context.Context) (bool, error) {
		return h.run("status").code == 1, nil
	})
}

// TestProgramsExistingClusterDriver serves a user's own driver on a cluster where COSI is
// installed, with classes that the emulator did not create.
func TestProgramsExistingClusterDriver(t *testing.T) {
	t.Parallel()
	h := newHomeWithPrograms(t)
	x := h.newExisting()
	x.apply("../../deploy")
	x.client = connectConfig(t, x.config).client
	x.create(&v1alpha2.BucketClass{
		Spec: v1alpha2.BucketClassSpec{DriverName: "else.example.com", DeletionPolicy: v1alpha2.DeletionPolicyRetain},
	})

	socket := "unix://" + filepath.Join(h.dir, "d.sock")
	driver := h.start("driver", "--driver-name", "mine.example.com", "--endpoint", socket, "--s3-bind-address", "127.0.0.1:0")
	harness.Until(t, "the driver serves", func(context.Context) (bool, error) {
		return strings.Contains(driver.err.String(), "serving"), nil
	})
	info := h.up(x.args("--driver", socket)...)
	if info.DriverName != "mine.example.com" || info.S3Endpoint != "" {
		t.Errorf("it serves driver %s at %q", info.DriverName, info.S3Endpoint)
	}
	if !strings.Contains(strings.Join(info.Warnings, "\n"), "class standard of the cluster is of driver else.example.com") {
		t.Errorf("it does not warn of the class that was there, but of %q", info.Warnings)
	}
	h.must("down")
	class := &v1alpha2.BucketClass{}
	if err := x.client.Get(t.Context(), client.ObjectKey{Name: "standard"}, class); err != nil || class.Spec.DriverName != "else.example.com" {
		t.Errorf("the class that was there: %v, of driver %s", err, class.Spec.DriverName)
	}
	classes := &v1alpha2.BucketAccessClassList{}
	if err := x.client.List(t.Context(), classes); err != nil || len(classes.Items) > 0 {
		t.Errorf("classes are left: %v, %v", classes.Items, err)
	}
	if err := x.client.Get(t.Context(), client.ObjectKey{Name: deploy.Namespace}, &corev1.Namespace{}); err != nil {
		t.Errorf("what was installed is gone: %v", err)
	}
	driver.signal(os.Interrupt)
	if code := driver.wait(); code != 0 {
		t.Errorf("the driver ends with %d: %s", code, driver.err.String())
	}
}
