package sidecar_test

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/test/cluster"
	"github.com/cosi-emu/cosi-emu/test/drivertest"
)

// failure is one code of one call, and the object that meets it.
type failure struct {
	method string
	code   codes.Code
	final  bool
	object client.Object
}

func (f *failure) name() string { return f.method + "/" + f.code.String() }

// parameters are by which the driver knows that it is to fail: they are in every
// request.
func (f *failure) parameters() map[string]string {
	return map[string]string{"method": f.method, "code": strconv.Itoa(int(f.code))}
}

// deprovisions reports whether the call comes at the end of an object's life.
func (f *failure) deprovisions() bool {
	return f.method == "DriverDeleteBucket" || f.method == "DriverRevokeBucketAccess"
}

// everyFailure is the table of the design: every code of every call.
func everyFailure() []*failure {
	var failures []*failure
	for _, method := range []string{
		"DriverGenerateBucketId", "DriverCreateBucket", "DriverGetBucket", "DriverDeleteBucket",
		"DriverGenerateBucketAccessId", "DriverGrantBucketAccess", "DriverRevokeBucketAccess",
	} {
		makesAccess := method == "DriverGenerateBucketAccessId" || method == "DriverGrantBucketAccess"
		for code := codes.Canceled; code <= codes.Unauthenticated; code++ {
			f := &failure{method: method, code: code}
			f.final = !f.deprovisions() && (code == codes.InvalidArgument || code == codes.AlreadyExists || code == codes.Unimplemented ||
				code == codes.OutOfRange && makesAccess)
			failures = append(failures, f)
		}
	}
	return failures
}

// failingDriver is a driver that fails as the parameters require: twice if the call should be
// retried, otherwise always, until it is fixed.
type failingDriver struct {
	mu       sync.Mutex
	calls    map[string]int
	repaired bool
}

// script has a method of the driver fail for the objects that ask for it.
func (m *failingDriver) script(method string) drivertest.Script {
	return func(_ context.Context, request proto.Message, next drivertest.Next) (proto.Message, error) {
		with, _ := request.(interface{ GetParameters() map[string]string })
		asked := with.GetParameters()
		if asked["method"] != method {
			return next()
		}
		number, err := strconv.ParseUint(asked["code"], 10, 32)
		if err != nil {
			return nil, err
		}
		f := failure{method: method, code: codes.Code(number)}
		if m.count(f.name()) > 2 {
			return next()
		}
		return nil, status.Error(f.code, "the driver says so")
	}
}

// count counts a call. A driver that is repaired has no more failures left.
func (m *failingDriver) count(name string) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.calls[name]++
	if m.repaired {
		return 1 << 10
	}
	return m.calls[name]
}

func (m *failingDriver) seen(f *failure) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.calls[f.name()]
}

func (m *failingDriver) repair() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.repaired = true
}

// TestEveryCodeOfEveryCall: which failures are final and which are retried, from the driver to the
// object. A fixed driver ends final failures too.
// KEP: FLOW-CREATE-3.6, RETRY-1, RETRY-4, FLOW-GRANT-4.9, API-ACCESS-2, COND-ACCESS-8, GRPC-GRANT-7
// KEP: GRPC-GENERATEBUCKETID-10, GRPC-CREATEBUCKET-6, GRPC-GETBUCKET-4, GRPC-GETBUCKET-6
// Known failure: E93
// KEP: FLOW-REVOKE-3.4, GRPC-GENERATEACCESSID-7, GRPC-GENERATEACCESSID-11, FLOW-DELETE-3.3.3
func TestEveryCodeOfEveryCall(t *testing.T) {
	cl := newTestCluster(t)
	driver, failures := &failingDriver{calls: map[string]int{}}, everyFailure()
	cl.start()
	shared := cl.readyBucket()
	for _, f := range failures {
		cl.driver.Script(f.method, driver.script(f.method))
	}
	for _, f := range failures {
		cl.provoke(f, shared)
	}
	for _, f := range failures {
		t.Run(f.name(), func(t *testing.T) {
			cl := cl.in(t)
			if f.final {
				cl.says(f)
				return
			}
			cl.Eventually(func() error { return cl.isThrough(f) })
			if got := driver.seen(f); got != 3 {
				t.Errorf("%d calls, want 3: two failures and a success", got)
			}
		})
	}
	cl.settle()
	for _, f := range failures {
		if got := driver.seen(f); f.final && got != 1 {
			t.Errorf("%s: %d calls, want 1", f.name(), got)
		}
	}
	driver.repair()
	cl.driver.Stop()
	cl.driver.Serve()
	for _, f := range failures {
		cl.Eventually(func() error { return cl.isThrough(f) })
	}
}

// provoke makes the object that meets a failure, and deletes it if the failure
// comes then.
func (cl *testCluster) provoke(f *failure, shared *v1alpha2.Bucket) {
	cl.Helper()
	ofBucket := func(b *v1alpha2.Bucket) { b.Spec.Parameters = f.parameters() }
	switch f.method {
	case "DriverGenerateBucketId", "DriverCreateBucket":
		f.object = cl.bucket(ofBucket)
	case "DriverGetBucket":
		id := "existing-" + f.code.String()
		cl.driver.AddBucket(id)
		f.object = cl.bucket(existing(id), ofBucket)
	case "DriverDeleteBucket":
		bucket := cl.readyBucket(ofBucket)
		cl.releaseClaim(bucket)
		f.object = bucket
	default:
		f.object = cl.access([]*v1alpha2.Bucket{shared}, func(a *v1alpha2.BucketAccess) { a.Status.Parameters = f.parameters() })
	}
	if access, ok := f.object.(*v1alpha2.BucketAccess); ok && f.deprovisions() {
		cl.WaitReady(access)
	}
	if f.deprovisions() {
		cl.Must(cl.Delete(cl.Context(), f.object))
	}
}

// says waits until the object reports a rejection, with the driver's words.
func (cl *testCluster) says(f *failure) {
	cl.Helper()
	cl.WaitCondition(f.object, v1alpha2.ConditionProvisionFailed, metav1.ConditionTrue, v1alpha2.ReasonDriverRefused)
	failed := meta.FindStatusCondition(cluster.Conditions(f.object), v1alpha2.ConditionProvisionFailed)
	for _, part := range []string{f.method, f.code.String(), "the driver says so"} {
		if !containsAny(failed.Message, part) {
			cl.Errorf("message %q does not have %q", failed.Message, part)
		}
	}
	cl.WaitCondition(f.object, v1alpha2.ConditionProvisioned, metav1.ConditionFalse, v1alpha2.ReasonDriverRefused)
}

// isThrough reports whether the object has got beyond the call that failed.
func (cl *testCluster) isThrough(f *failure) error {
	switch object := f.object.(type) {
	case *v1alpha2.Bucket:
		if f.deprovisions() {
			return cl.Gone(object)
		}
		return cl.isReady(object)
	case *v1alpha2.BucketAccess:
		if f.deprovisions() {
			return cl.isCleanedUp(object)
		}
		return cl.isGranted(object)
	default:
		return fmt.Errorf("%s has no object", f.name())
	}
}

// isCleanedUp reports whether the sidecar has done its part of a deletion.
func (cl *testCluster) isCleanedUp(access *v1alpha2.BucketAccess) error {
	if err := cl.Refresh(access); err != nil {
		return err
	}
	if !v1alpha2.IsSidecarCleanupFinished(access) {
		return fmt.Errorf("BucketAccess %s is not cleaned up: %v", access.Name, cluster.Lines(access.Status.Conditions))
	}
	return nil
}
