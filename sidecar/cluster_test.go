package sidecar_test

import (
	"testing"
	"time"

	"github.com/go-logr/logr/testr"
	"k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/apimachinery/pkg/util/uuid"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/deploy"
	cosisidecar "github.com/cosi-emu/cosi-emu/sidecar"
	"github.com/cosi-emu/cosi-emu/test/cluster"
	"github.com/cosi-emu/cosi-emu/test/drivertest"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// testCluster is the shared cluster with a driver of the test's own, and the options of
// its sidecar.
type testCluster struct {
	*cluster.Cluster

	driver  *drivertest.Driver
	options cosisidecar.Options
}

// newTestCluster has no sidecar running yet.
func newTestCluster(t *testing.T) *testCluster {
	t.Helper()
	cl := cluster.New(t, objectstorage.V1alpha2)
	d := drivertest.Start(t, "d-"+rand.String(8)+".test")
	return &testCluster{Cluster: cl, driver: d, options: cosisidecar.Options{
		Endpoint: drivertest.Endpoint, DialOptions: d.DialOptions(), Logger: testr.New(t),
		RetryBaseDelay: 10 * time.Millisecond, RetryMaxDelay: 100 * time.Millisecond,
	}}
}

// in returns the same cluster for a part of the test.
func (cl *testCluster) in(t *testing.T) *testCluster {
	t.Helper()
	part, of := *cl, *cl.Cluster
	of.TB = t
	part.Cluster = &of
	return &part
}

// newSidecar makes a sidecar of the driver that does not run yet.
func (cl *testCluster) newSidecar() *cosisidecar.Sidecar {
	cl.Helper()
	s, err := cosisidecar.New(cl.Context(), cl.Config(deploy.SidecarServiceAccount), cl.options)
	cl.Must(err)
	return s
}

// start runs a sidecar of the driver until the test ends or the function
// that it returns is called, whichever is first, and waits until it is ready.
func (cl *testCluster) start() (stop func()) {
	cl.Helper()
	return cl.Start(cl.newSidecar()).Stop
}

// settle waits until no call of the driver and no write has been made for a
// while, and returns how many there were.
func (cl *testCluster) settle() (calls, writes int) {
	cl.Helper()
	count := func() (calls, writes int) { return len(cl.driver.Calls()), len(cl.Requests.Writes()) }
	harness.Settle(cl, "calls and writes", func() int {
		calls, writes = count()
		return calls + writes
	})
	return calls, writes
}

// lines are requests as method and path.
func lines(requests []cluster.Request) []string {
	var lines []string
	for _, request := range requests {
		lines = append(lines, request.Method+" "+request.Path)
	}
	return lines
}

// newUID makes a UID of the form that the API asks for.
func newUID() string { return string(uuid.NewUUID()) }
