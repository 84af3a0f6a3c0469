package sidecar_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/deploy"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
	cosisidecar "github.com/cosi-emu/cosi-emu/sidecar"
	"github.com/cosi-emu/cosi-emu/test/drivertest"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// E64: the driver may be started after its sidecar.
func TestE64DriverStartsLater(t *testing.T) {
	cl := newTestCluster(t)
	cl.driver.Stop()
	type outcome struct {
		sidecar *cosisidecar.Sidecar
		err     error
	}
	connected := make(chan outcome, 1)
	go func() {
		s, err := cosisidecar.New(t.Context(), cl.Config(deploy.SidecarServiceAccount), cl.options)
		connected <- outcome{s, err}
	}()
	harness.Until(t, "the sidecar tries to connect", func(context.Context) (bool, error) { return cl.driver.Dials() > 1, nil })
	select {
	case got := <-connected:
		t.Fatalf("New did not wait: %v", got.err)
	default:
	}
	cl.driver.Serve()
	got := <-connected
	cl.Must(got.err)
	cl.Start(got.sidecar)
	cl.readyBucket()
}

// E27: a driver that hangs blocks only the object of the call, and not the end of the sidecar.
// KEP: RETRY-9
func TestE27HungDriver(t *testing.T) {
	cl := newTestCluster(t)
	cl.options.RPCTimeout = time.Hour // stop waits for less
	hung := make(chan struct{}, 1)
	stuck := newUID()
	cl.driver.Script("DriverCreateBucket", func(ctx context.Context, m proto.Message, next drivertest.Next) (proto.Message, error) {
		if request, _ := m.(*cosiv1alpha2.DriverCreateBucketRequest); request.GetBucketId() != "id-bc-"+stuck {
			return next()
		}
		select {
		case hung <- struct{}{}:
		default:
		}
		<-ctx.Done()
		return nil, ctx.Err()
	})
	stop := cl.start()
	cl.bucket(func(b *v1alpha2.Bucket) { b.Name = "bc-" + stuck })
	<-hung
	cl.readyBucket()
	stop()
}

// Neither does an API server that has stopped to answer.
func TestStopsWithoutTheAPIServer(t *testing.T) {
	cl := newTestCluster(t)
	reached := make(chan struct{})
	cl.driver.Script("DriverCreateBucket", func(_ context.Context, _ proto.Message, next drivertest.Next) (proto.Message, error) {
		cl.Requests.Hang()
		close(reached)
		return next()
	})
	stop := cl.start()
	cl.bucket()
	<-reached
	stop()
}

// KEP: RETRY-9
func TestCallsHaveADeadline(t *testing.T) {
	cl := newTestCluster(t)
	cl.options.RPCTimeout = 300 * time.Millisecond
	cl.driver.Hang("DriverCreateBucket")
	cl.start()
	bucket := cl.bucket()
	cl.WaitCondition(bucket, v1alpha2.ConditionProvisioned, metav1.ConditionUnknown, v1alpha2.ReasonDriverError)
	cl.driver.Script("DriverCreateBucket", nil)
	cl.WaitReady(bucket)
}

// A driver that comes back is asked for its name, and then for everything that
// it has failed or rejected before. E03: so an upgrade alone is enough.
// KEP: GRPC-DRIVERGETINFO-1, RETRY-4
func TestDriverComesBack(t *testing.T) {
	cl := newTestCluster(t)
	cl.options.RetryBaseDelay, cl.options.RetryMaxDelay = time.Hour, time.Hour
	cl.driver.Fail("DriverGenerateBucketId", codes.Unimplemented, "unknown method")
	cl.start()
	rejected := cl.bucket()
	cl.WaitCondition(rejected, v1alpha2.ConditionProvisioned, metav1.ConditionFalse, v1alpha2.ReasonDriverRefused)
	cl.driver.Script("DriverGenerateBucketId", nil)
	cl.driver.Stop()
	failed := cl.bucket()
	cl.WaitCondition(failed, v1alpha2.ConditionProvisioned, metav1.ConditionUnknown, v1alpha2.ReasonDriverError)

	cl.driver.Serve()
	cl.WaitReady(rejected, failed)
	if got := len(cl.driver.Calls("DriverGetInfo")); got != 2 {
		t.Errorf("%d calls of DriverGetInfo, want 2", got)
	}
}

// KEP: GRPC-DRIVERGETINFO-1
func TestE76AnotherDriverComesBack(t *testing.T) {
	cl := newTestCluster(t)
	s, err := cosisidecar.New(t.Context(), cl.Config(deploy.SidecarServiceAccount), cl.options)
	cl.Must(err)
	ended := make(chan error, 1)
	go func() { ended <- s.Start(t.Context()) }()
	cl.Must(s.WaitReady(t.Context()))
	cl.driver.Stop()
	cl.driver.Rename("other.test")
	cl.driver.Serve()
	if err := harness.Receive(t, "Start returns", ended); err == nil || !containsAny(err.Error(), "changed its name") {
		t.Errorf("Start returned %v", err)
	}
	if calls := cl.driver.Calls("DriverCreateBucket"); len(calls) > 0 {
		t.Errorf("calls of another driver: %v", calls)
	}
}

func TestNewWithoutADriver(t *testing.T) {
	cl := newTestCluster(t)
	cl.driver.Stop()
	cl.options.ConnectTimeout = 300 * time.Millisecond
	_, err := cosisidecar.New(t.Context(), cl.Config(deploy.SidecarServiceAccount), cl.options)
	if err == nil || !containsAny(err.Error(), drivertest.Endpoint) {
		t.Errorf("New returned %v, want an error that names the endpoint", err)
	}
}

// E12, E53, E71: no sidecar changes objects of another driver, nor can an access lead
// from one to the other.
// KEP: FLOW-CREATE-3.1, FLOW-STATIC-2.1, FLOW-DELETE-3.1, DRIVER-3, REASON-24
func TestE53E71TwoDrivers(t *testing.T) {
	a, b := newTestCluster(t), newTestCluster(t)
	a.start()
	b.start()
	bucketOfA, bucketOfB := a.readyBucket(), b.readyBucket()
	crossed := b.access([]*v1alpha2.Bucket{bucketOfA})
	b.WaitCondition(crossed, v1alpha2.ConditionProvisioned, metav1.ConditionFalse, v1alpha2.ReasonDriverMismatch)
	accessOfA := a.readyAccess(bucketOfA)
	a.Must(a.Delete(t.Context(), accessOfA))
	a.isHandedBack(accessOfA)
	for _, bucket := range []*v1alpha2.Bucket{bucketOfA, bucketOfB} {
		a.releaseClaim(bucket)
		a.Must(a.Delete(t.Context(), bucket))
		a.WaitGone(bucket)
	}
	if got := b.driver.Calls("DriverGenerateBucketAccessId", "DriverGrantBucketAccess", "DriverRevokeBucketAccess"); len(got) > 0 {
		t.Errorf("driver B got calls for A's bucket: %v", got)
	}
	for name, cl := range map[string]*testCluster{"A": a, "B": b} {
		if got := cl.driver.Buckets(); len(got) > 0 {
			t.Errorf("driver %s is left with %v", name, got)
		}
		if got := len(cl.driver.Calls("DriverDeleteBucket")); got != 1 {
			t.Errorf("driver %s: %d calls to delete", name, got)
		}
	}
}

// E68: an object that was deleted while the sidecar was down does not count as new: it is not granted again.
// Design: CK-ATTACH-5
func TestE68DeletedWhileSidecarIsDown(t *testing.T) {
	cl := newTestCluster(t)
	stop := cl.start()
	bucket := cl.readyBucket()
	access := cl.readyAccess(bucket)
	stop()
	cl.Must(cl.Delete(t.Context(), access))
	cl.releaseClaim(bucket)
	cl.Must(cl.Delete(t.Context(), bucket))
	before := len(cl.driver.Calls("DriverGenerateBucketAccessId", "DriverGrantBucketAccess"))
	cl.start()
	cl.isHandedBack(access)
	cl.WaitGone(bucket)
	if calls := cl.driver.Calls("DriverGenerateBucketAccessId", "DriverGrantBucketAccess"); len(calls) > before {
		t.Errorf("calls for an access that is being deleted: %v", calls[before:])
	}
	if len(cl.driver.Buckets())+len(cl.driver.Accounts()) > 0 {
		t.Errorf("left in the backend: %v, %v", cl.driver.Buckets(), cl.driver.Accounts())
	}
}

// KEP: PRR-5
// TestSettledSystemIsSilent has one more access provisioned when all others have
// settled: every call and every write until then is about the new one.
func TestSettledSystemIsSilent(t *testing.T) {
	cl := newTestCluster(t)
	cl.start()
	settled := map[string]bool{}
	for range 5 {
		bucket := cl.readyBucket()
		settled[bucket.Name], settled[cl.readyAccess(bucket).Name] = true, true
	}
	cl.settle()
	cl.Requests.Reset()
	calls := len(cl.driver.Calls())
	bucket := cl.readyBucket()
	access := cl.readyAccess(bucket)
	cl.settle()
	for _, write := range cl.Requests.Writes() {
		if parts := strings.Split(write.Path, "/"); slices.ContainsFunc(parts, func(part string) bool { return settled[part] }) {
			t.Errorf("a write to what had settled: %s", write)
		}
	}
	want := []string{"DriverGenerateBucketId", "DriverCreateBucket", "DriverGenerateBucketAccessId", "DriverGrantBucketAccess"}
	if diff := cmp.Diff(want, cl.driver.Methods()[calls:]); diff != "" {
		t.Errorf("calls for Bucket %s and BucketAccess %s: -want, +got:\n%s", bucket.Name, access.Name, diff)
	}
}

// KEP: TEST-6
func TestManyObjectsAtOnce(t *testing.T) {
	cl := newTestCluster(t)
	cl.start()
	var accesses []*v1alpha2.BucketAccess
	for range 30 {
		accesses = append(accesses, cl.access([]*v1alpha2.Bucket{cl.bucket()}))
	}
	for _, access := range accesses {
		cl.WaitReady(access)
	}
	_, writes := cl.settle()
	// 3 writes of a Bucket, 4 of an access, 1 more where it had to wait.
	if limit := 30 * 8; writes > limit {
		t.Errorf("%d writes for 30 Buckets and accesses, limit %d", writes, limit)
	}
	if got := len(cl.driver.Calls()) - 1; got != 30*4 {
		t.Errorf("%d calls for 30 Buckets and accesses: %v", got, fmt.Sprint(cl.driver.Methods()))
	}
}
