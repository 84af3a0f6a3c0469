package e2e_test

import (
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/controlplanetest"
	cosisidecar "github.com/cosi-emu/cosi-emu/sidecar"
	"github.com/cosi-emu/cosi-emu/test/cluster"
	"github.com/cosi-emu/cosi-emu/test/drivertest"
	"github.com/cosi-emu/cosi-emu/test/harness/leaks"
)

// never is the delay of retries: longer than any test.
const never = time.Hour

// driverName is the name of the driver of tests that need only one.
const driverName = "first.test"

// testCluster is the cluster of an emulator, with a driver that follows a script. Its
// client is the administrator's.
type testCluster struct {
	*cluster.Cluster

	emu    *emulator.Emulator
	driver *drivertest.Driver
}

// newTestCluster starts an emulator with a driver and its sidecar.
func newTestCluster(tb testing.TB) *testCluster {
	tb.Helper()
	cl := newTestClusterWithoutSidecar(tb)
	cl.addSidecar(tb, emulator.ComponentSidecar, cl.driver)
	return cl
}

// newTestClusterWithoutSidecar leaves it to the test when the sidecar comes. When the
// test has ended, nothing must be left: no goroutine, and nothing in the log or
// among the requests that must never be there.
func newTestClusterWithoutSidecar(tb testing.TB, change ...func(*emulator.Options)) *testCluster {
	tb.Helper()
	options := emulator.Options{NoDriver: true, RetryBaseDelay: never, RetryMaxDelay: never, ControlPlane: controlplanetest.Borrow(tb, "")}
	goroutines := goleak.IgnoreCurrent()
	tb.Cleanup(func() { leaks.Check(tb, goroutines) })
	cl := &testCluster{driver: drivertest.Start(tb, driverName)}
	for _, c := range change {
		c(&options)
	}
	cl.emu = emulatortest.Start(tb, options)
	tb.Cleanup(func() { cl.expectHealthy(tb) })
	return cl.inNamespace(tb)
}

// inNamespace returns the cluster for a part of the test, with a namespace, and so names
// for objects in none, of its own.
func (cl *testCluster) inNamespace(tb testing.TB) *testCluster {
	tb.Helper()
	// The namespace goes with the control plane. Deleting it here would keep
	// kube-controller-manager busy during the tests that follow.
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "flow-"}}
	part := &testCluster{Cluster: &cluster.Cluster{TB: tb, Client: cl.emu.Client()}, emu: cl.emu, driver: cl.driver}
	part.Make(namespace)
	part.Namespace = namespace.Name
	return part
}

func (cl *testCluster) addSidecar(tb testing.TB, name string, d *drivertest.Driver) *emulator.Component {
	tb.Helper()
	component, err := cl.emu.AddSidecar(tb.Context(), name, cosisidecar.Options{Endpoint: drivertest.Endpoint, DialOptions: d.DialOptions()})
	if err != nil {
		tb.Fatal(err)
	}
	return component
}

// expectHealthy checks the rules that hold for every flow.
func (cl *testCluster) expectHealthy(tb testing.TB) {
	tb.Helper()
	for _, e := range cl.history(tb) {
		switch {
		case strings.Contains(e.Message, "panic"):
			tb.Errorf("a component has panicked: %s", e)
		case e.Outcome == "Forbidden" && !strings.Contains(e.Message, "is being terminated"):
			tb.Errorf("a component lacks a right: %s", e)
		}
	}
}
