package realcluster_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/deploy"
	"github.com/cosi-emu/cosi-emu/internal/store"
	"github.com/cosi-emu/cosi-emu/test/realcluster"
	"github.com/cosi-emu/cosi-emu/test/realcluster/isolation"
)

// volume is a directory of the machine, which both nodes have. kind provides a volume for the claim itself.
const volume = `
apiVersion: v1
kind: PersistentVolume
metadata: {name: cosi-fake-driver}
spec:
  capacity: {storage: 10Gi}
  accessModes: [ReadWriteOnce]
  claimRef: {namespace: cosi-system, name: cosi-fake-driver}
  hostPath: {path: %s}
`

const volumeClaim = `
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: cosi-fake-driver, namespace: cosi-system}
spec:
  accessModes: [ReadWriteOnce]
  resources: {requests: {storage: 10Gi}}
`

// keepBackend gives the driver a volume that outlives its Pod. A driver of a storage service has its backend
// elsewhere.
func keepBackend(t *testing.T, s suite) {
	t.Helper()
	if !realcluster.InKind() {
		dir := backendDir()
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Chown(dir, 65532, 65532); err != nil {
			t.Fatal(err)
		}
		s.ApplyYAML(t, volume, dir)
	}
	s.ApplyYAML(t, volumeClaim)
	d := driverDeployment()
	patch := `{"spec":{"template":{"spec":{"volumes":[
		{"name":"data","emptyDir":null,"persistentVolumeClaim":{"claimName":"cosi-fake-driver"}}]}}}}`
	if err := s.Patch(t.Context(), d, client.RawPatch("application/strategic-merge-patch+json", []byte(patch))); err != nil {
		t.Fatal(err)
	}
	s.WaitDeployed(t, deploy.Namespace, driverApp)
}

func backendDir() string { return filepath.Join(isolation.Dir(), "backend") }

func driverDeployment() *appsv1.Deployment {
	d := &appsv1.Deployment{}
	d.Namespace, d.Name = deploy.Namespace, driverApp
	return d
}

// scale sets the number of Pods of a Deployment, and waits for them.
func (s suite) scale(t *testing.T, name string, replicas int) {
	t.Helper()
	d := driverDeployment()
	d.Name = name
	patch := fmt.Appendf(nil, `{"spec":{"replicas":%d}}`, replicas)
	if err := s.Patch(t.Context(), d, client.RawPatch("application/merge-patch+json", patch)); err != nil {
		t.Fatal(err)
	}
	s.WaitDeployed(t, deploy.Namespace, name)
}

// testNothingLeaked stops the driver, and reads its backend: every claim and access is deleted, so there is
// no bucket and no account.
func testNothingLeaked(t *testing.T, s suite) {
	t.Helper()
	s.waitBuckets(t, 0)
	s.scale(t, driverApp, 0)
	if realcluster.InKind() {
		t.Skip("the backend of the driver is in a node of kind")
	}
	if files, err := os.ReadDir(backendDir()); err != nil || len(files) == 0 {
		t.Fatalf("the backend is elsewhere: %v, %v", files, err)
	}
	backend, err := store.New(store.Options{Dir: backendDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer backend.Close() //nolint:errcheck // only read from
	buckets, err := backend.Buckets(t.Context())
	if err != nil || len(buckets) > 0 {
		t.Errorf("buckets without a Bucket: %v, %v", buckets, err)
	}
	accounts, err := backend.Accounts(t.Context())
	if err != nil || len(accounts) > 0 {
		t.Errorf("accounts without a BucketAccess: %v, %v", accounts, err)
	}
	s.findOrphans(t)
}

// findOrphans has the command orphans compare the objects with a backend that has nothing. The Leases of drivers that are
// uninstalled stay.
func (s suite) findOrphans(t *testing.T) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), realcluster.Program, "orphans", "--kubeconfig="+s.AdminKubeconfig(t), "--list-command=true",
		"--list-accounts-command=true", "--output=json")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	var report struct {
		Orphans []struct {
			Kind   string `json:"kind"`
			Object string `json:"object"`
		} `json:"orphans"`
	}
	if decodeErr := json.Unmarshal(out, &report); decodeErr != nil {
		t.Fatalf("orphans printed %s: %v, %v", out, err, decodeErr)
	}
	for _, orphan := range report.Orphans {
		if orphan.Kind != "LeaseWithoutDriver" {
			t.Errorf("%s is an orphan: %s", orphan.Object, orphan.Kind)
		}
	}
}
