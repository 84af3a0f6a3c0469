package sidecar_test

import (
	"strings"
	"sync/atomic"
	"testing"

	"github.com/go-logr/logr/funcr"
	"google.golang.org/grpc/codes"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

// An operator reads once an error that only a change can fix, also when the sidecar has
// restarted and reached the same result.
func TestE67RejectionIsLoggedOnce(t *testing.T) {
	cl := newTestCluster(t)
	var logged atomic.Int64
	cl.options.Logger = funcr.New(func(_, line string) {
		if strings.Contains(line, "Reconciler error") {
			logged.Add(1)
		}
	}, funcr.Options{})
	cl.driver.Fail("DriverCreateBucket", codes.InvalidArgument, "no")
	bucket := cl.bucket()
	for range 2 {
		stop := cl.start()
		cl.WaitCondition(bucket, v1alpha2.ConditionProvisionFailed, metav1.ConditionTrue, v1alpha2.ReasonDriverRefused)
		cl.settle()
		stop()
	}
	if got := logged.Load(); got != 1 {
		t.Errorf("the rejection was logged %d times, want 1", got)
	}
}
