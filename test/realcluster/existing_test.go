package realcluster_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	coordinationv1 "k8s.io/api/coordination/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/test/harness"
	"github.com/cosi-emu/cosi-emu/test/realcluster"
	"github.com/cosi-emu/cosi-emu/test/realcluster/isolation"
)

const ownClasses = `
apiVersion: objectstorage.k8s.io/v1alpha2
kind: BucketClass
metadata: {name: own}
spec: {driverName: own.example.com, deletionPolicy: Delete}
---
apiVersion: objectstorage.k8s.io/v1alpha2
kind: BucketAccessClass
metadata: {name: own}
spec: {driverName: own.example.com, authenticationType: Key}
`

// testExistingCluster runs the components on the machine of a developer, with a driver of the developer, while
// the controller of the cluster is stopped. Pods use the buckets.
func testExistingCluster(t *testing.T, s suite) {
	t.Helper()
	if realcluster.InKind() {
		t.Skip("Pods of kind do not reach a driver on this machine")
	}
	s.ApplyDir(t, "../../deploy/driver-rbac")
	s.scale(t, controllerApp, 0)
	program, err := filepath.Abs(realcluster.Program)
	if err != nil {
		t.Fatal(err)
	}
	home := harness.SocketDir(t)
	run := func(args ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), program, append(args, "--name=real")...)
		cmd.Env = append(os.Environ(), "HOME="+home)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("cosi-emu %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
	address := isolation.ControlPlane + ":9100"
	run("up", "-d", "--existing-cluster", "--kubeconfig="+s.AdminKubeconfig(t), "--driver-cmd", program+
		" driver --endpoint=$(COSI_ENDPOINT) --driver-name=own.example.com --s3-bind-address="+address+" --s3-endpoint=http://"+address)
	classes := s.ApplyYAML(t, ownClasses)
	namespace := s.namespace(t)
	s.ApplyYAML(t, pair, namespace, "photos", "own")
	s.waitReady(t, "BucketAccess", namespace, "photos")
	s.useBucket(t, namespace, "photos", "use")
	s.deletePair(t, namespace, "photos")
	s.waitBuckets(t, 0)
	run("down")
	for _, class := range classes {
		if err := s.Delete(t.Context(), class); err != nil {
			t.Error(err)
		}
	}
	var leases coordinationv1.LeaseList
	if err := s.List(t.Context(), &leases, client.HasLabels{"cosi-emu/created-by"}); err != nil || len(leases.Items) > 0 {
		t.Errorf("Leases of the emulator after it has stopped: %v, %v", leases.Items, err)
	}
	s.scale(t, controllerApp, 2)
	s.DeleteDir(t, "../../deploy/driver-rbac")
}
