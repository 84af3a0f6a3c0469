package v1alpha1_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr/testr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	controllerv1alpha1 "github.com/cosi-emu/cosi-emu/controller/v1alpha1"
	"github.com/cosi-emu/cosi-emu/deploy"
	"github.com/cosi-emu/cosi-emu/test/cluster"
)

// testCluster is the shared cluster, with no objects of COSI but the test's, and with a
// controller.
type testCluster struct {
	*cluster.Cluster

	controller *cluster.Run // of startController
	strict     bool         // for the next start of the controller
}

// prepare returns the cluster without a controller.
func prepare(tb testing.TB) *testCluster {
	tb.Helper()
	cl := &testCluster{Cluster: cluster.New(tb, objectstorage.V1alpha1)}
	tb.Cleanup(func() {
		cl.ForceRemoveAll(&v1alpha1.BucketAccessList{}, &v1alpha1.BucketClaimList{}, &v1alpha1.BucketList{},
			&v1alpha1.BucketClassList{}, &v1alpha1.BucketAccessClassList{})
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
func (cl *testCluster) newController() *controllerv1alpha1.Controller {
	cl.Helper()
	c, err := controllerv1alpha1.New(cl.Config(deploy.ControllerServiceAccount), controllerv1alpha1.Options{
		Logger: testr.NewWithInterface(cl, testr.Options{}), RetryMaxDelay: time.Second, Strict: cl.strict,
	})
	cl.Must(err)
	return c
}

// startController starts a controller with an empty cache. It ends with the test, or
// with stopController.
func (cl *testCluster) startController() {
	cl.Helper()
	cl.controller = cl.Start(cl.newController())
}

func (cl *testCluster) stopController() {
	cl.Helper()
	cl.controller.Stop()
}

// change edits an object as its user would, again after each conflict.
func change[T client.Object](cl *testCluster, object T, edit func(T)) {
	cl.Helper()
	cl.Modify(object, func() { edit(object) })
}

// report writes the status of an object, as the sidecar does, again after each conflict.
func report[T client.Object](cl *testCluster, object T, edit func(T)) {
	cl.Helper()
	cl.ModifyStatus(object, func() { edit(object) })
}

// says waits for an Event about an object. Other Events with the same reason may precede it.
func (cl *testCluster) says(object client.Object, reason, want string) {
	cl.Helper()
	_, message, _ := strings.Cut(want, ": ")
	cl.Eventually(func() error {
		events := cl.Events(object)
		if events[reason] != want && events[reason+" again"] != message {
			return fmt.Errorf("Event %s is %q, want %q; events: %v", reason, events[reason], want, events)
		}
		return nil
	})
}
