package v1alpha1_test

import (
	"testing"
	"time"

	"github.com/go-logr/logr/testr"
	"k8s.io/apimachinery/pkg/util/rand"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/deploy"
	cosisidecar "github.com/cosi-emu/cosi-emu/sidecar"
	sidecarv1alpha1 "github.com/cosi-emu/cosi-emu/sidecar/v1alpha1"
	"github.com/cosi-emu/cosi-emu/test/cluster"
	"github.com/cosi-emu/cosi-emu/test/drivertest"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// testCluster is the shared cluster with a driver of the test's own, and the options of
// its sidecar.
type testCluster struct {
	*cluster.Cluster

	driver  *drivertest.V1alpha1
	options cosisidecar.Options
}

// newTestCluster has no sidecar running yet.
func newTestCluster(t *testing.T) *testCluster {
	t.Helper()
	cl := cluster.New(t, objectstorage.V1alpha1)
	d := drivertest.StartV1alpha1(t, "d-"+rand.String(8)+".test")
	return &testCluster{Cluster: cl, driver: d, options: cosisidecar.Options{
		Endpoint: drivertest.Endpoint, DialOptions: d.DialOptions(), Logger: testr.New(t),
		RetryBaseDelay: 10 * time.Millisecond, RetryMaxDelay: 100 * time.Millisecond,
	}}
}

// newSidecar makes a sidecar of the driver that does not run yet.
func (cl *testCluster) newSidecar() *sidecarv1alpha1.Sidecar {
	cl.Helper()
	s, err := sidecarv1alpha1.New(cl.Context(), cl.Config(deploy.SidecarServiceAccount), cl.options)
	cl.Must(err)
	return s
}

// start runs a sidecar of the driver until the test ends or the function
// that it returns is called, whichever is first, and waits until it is ready.
func (cl *testCluster) start() (stop func()) {
	cl.Helper()
	return cl.Start(cl.newSidecar()).Stop
}

// launch runs a sidecar that may end before the test does, and does not wait until it is ready.
func (cl *testCluster) launch() (s *sidecarv1alpha1.Sidecar, ended <-chan error) {
	cl.Helper()
	s = cl.newSidecar()
	return s, cl.Launch(s).Ended
}

// settle waits until no call of the driver and no write has been made for a while.
func (cl *testCluster) settle() {
	cl.Helper()
	harness.Settle(cl, "calls and writes", func() int { return len(cl.driver.Calls()) + len(cl.Requests.Writes()) })
}
