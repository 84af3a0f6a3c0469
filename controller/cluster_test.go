package controller_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/go-logr/logr/testr"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	cosicontroller "github.com/cosi-emu/cosi-emu/controller"
	"github.com/cosi-emu/cosi-emu/deploy"
	"github.com/cosi-emu/cosi-emu/test/cluster"
)

// testCluster is the shared cluster, with no objects of COSI but the test's, and with a
// controller.
type testCluster struct {
	*cluster.Cluster

	controller *cluster.Run // of startController
}

// prepare returns the cluster without a controller.
func prepare(tb testing.TB) *testCluster {
	tb.Helper()
	cl := &testCluster{Cluster: cluster.New(tb, objectstorage.V1alpha2)}
	tb.Cleanup(func() {
		cl.ForceRemoveAll(&v1alpha2.BucketAccessList{}, &v1alpha2.BucketClaimList{}, &v1alpha2.BucketList{},
			&v1alpha2.BucketClassList{}, &v1alpha2.BucketAccessClassList{})
	})
	return cl
}

// start returns the cluster with a controller that is ready.
func start(tb testing.TB) *testCluster {
	tb.Helper()
	cl := prepare(tb)
	cl.startController()
	return cl
}

// newController makes a controller that does not run yet.
func (cl *testCluster) newController(change ...func(*cosicontroller.Options)) *cosicontroller.Controller {
	cl.Helper()
	options := cosicontroller.Options{Logger: testr.NewWithInterface(cl, testr.Options{}), RetryMaxDelay: time.Second}
	for _, f := range change {
		f(&options)
	}
	c, err := cosicontroller.New(cl.Config(deploy.ControllerServiceAccount), options)
	cl.Must(err)
	return c
}

// startController starts a controller with an empty cache. It ends with the test, or
// with stopController.
func (cl *testCluster) startController(change ...func(*cosicontroller.Options)) {
	cl.Helper()
	cl.controller = cl.Start(cl.newController(change...))
}

func (cl *testCluster) stopController() {
	cl.Helper()
	cl.controller.Stop()
}

// failRequests makes requests fail for which fault returns an error, before they
// reach the API server.
func (cl *testCluster) failRequests(fault func(*http.Request) error) {
	cl.Requests.Intercept(func(r *http.Request) (*http.Response, error) { return nil, fault(r) })
}

// answers is how many requests so far were answered with that status.
func (cl *testCluster) answers(status int) int {
	n := 0
	for _, request := range cl.Requests.All() {
		if request.Status == status {
			n++
		}
	}
	return n
}
