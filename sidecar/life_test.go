package sidecar_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	cosi "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
	"github.com/cosi-emu/cosi-emu/sidecar"
	"github.com/cosi-emu/cosi-emu/test/drivertest"
)

// E64: the driver may be started after its sidecar.
func TestE64DriverIsLate(t *testing.T) {
	w := newWorld(t)
	w.driver.Stop()
	type outcome struct {
		sidecar *sidecar.Sidecar
		err     error
	}
	connected := make(chan outcome, 1)
	go func() {
		s, err := sidecar.New(t.Context(), w.config(), w.options)
		connected <- outcome{s, err}
	}()
	select {
	case got := <-connected:
		t.Fatalf("New did not wait: %v", got.err)
	case <-time.After(200 * time.Millisecond):
	}
	w.driver.Serve()
	got := <-connected
	w.must(got.err)
	w.run(got.sidecar)
	w.readyBucket()
}

// E27: a driver that hangs blocks what it hangs on, nothing else, and not the
// end of the sidecar.
// KEP: RETRY-9
func TestE27HungDriver(t *testing.T) {
	w := newWorld(t)
	hung := make(chan struct{}, 1)
	stuck := newUID()
	w.driver.Script("DriverCreateBucket", func(ctx context.Context, m proto.Message, next drivertest.Next) (proto.Message, error) {
		if request, _ := m.(*cosi.DriverCreateBucketRequest); request.GetBucketId() != "id-bc-"+stuck {
			return next()
		}
		select {
		case hung <- struct{}{}:
		default:
		}
		<-ctx.Done()
		return nil, ctx.Err()
	})
	stop := w.start()
	w.bucket(func(b *v1alpha2.Bucket) { b.Name = "bc-" + stuck })
	<-hung
	w.readyBucket()
	began := time.Now()
	stop()
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("the sidecar took %s to stop", took)
	}
}

// Neither does an API server that has stopped to answer.
func TestStopsWithoutTheAPIServer(t *testing.T) {
	w := newWorld(t)
	reached := make(chan struct{})
	w.driver.Script("DriverCreateBucket", func(_ context.Context, _ proto.Message, next drivertest.Next) (proto.Message, error) {
		w.traffic.Hang()
		close(reached)
		return next()
	})
	stop := w.start()
	w.bucket()
	<-reached
	began := time.Now()
	stop()
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("the sidecar took %s to stop", took)
	}
}

// KEP: RETRY-9
func TestCallsHaveADeadline(t *testing.T) {
	w := newWorld(t)
	w.options.RPCTimeout = 300 * time.Millisecond
	w.driver.Hang("DriverCreateBucket")
	w.start()
	bucket := w.bucket()
	w.has(bucket, v1alpha2.ConditionProvisioned, metav1.ConditionUnknown, v1alpha2.ReasonDriverError)
	w.driver.Script("DriverCreateBucket", nil)
	w.eventually(func() error { return w.isReady(bucket) })
}

// A driver that comes back is asked for its name, and then for everything that
// it has failed or refused before. E03: so an upgrade alone is enough.
// KEP: GRPC-DRIVERGETINFO-1, RETRY-4
func TestDriverComesBack(t *testing.T) {
	w := newWorld(t)
	w.options.RetryBaseDelay, w.options.RetryMaxDelay = time.Hour, time.Hour
	w.driver.Fail("DriverGenerateBucketId", codes.Unimplemented, "unknown method")
	w.start()
	refused := w.bucket()
	w.has(refused, v1alpha2.ConditionProvisioned, metav1.ConditionFalse, v1alpha2.ReasonDriverRefused)
	w.driver.Script("DriverGenerateBucketId", nil)
	w.driver.Stop()
	failed := w.bucket()
	w.has(failed, v1alpha2.ConditionProvisioned, metav1.ConditionUnknown, v1alpha2.ReasonDriverError)

	w.driver.Serve()
	w.eventually(func() error { return errors.Join(w.isReady(refused), w.isReady(failed)) })
	if got := len(w.driver.Calls("DriverGetInfo")); got != 2 {
		t.Errorf("%d calls of DriverGetInfo, want 2", got)
	}
}

// KEP: GRPC-DRIVERGETINFO-1
func TestE76AnotherDriverComesBack(t *testing.T) {
	w := newWorld(t)
	s, err := sidecar.New(t.Context(), w.config(), w.options)
	w.must(err)
	ended := make(chan error, 1)
	go func() { ended <- s.Start(t.Context()) }()
	w.must(s.WaitReady(t.Context()))
	w.driver.Stop()
	w.driver.Rename("other.test")
	w.driver.Serve()
	select {
	case err := <-ended:
		if err == nil || !containsAny(err.Error(), "changed its name") {
			t.Errorf("Start returned %v", err)
		}
	case <-time.After(patience):
		t.Fatal("Start does not return")
	}
	if calls := w.driver.Calls("DriverCreateBucket"); len(calls) > 0 {
		t.Errorf("calls of another driver: %v", calls)
	}
}

func TestNewWithoutADriver(t *testing.T) {
	w := newWorld(t)
	w.driver.Stop()
	w.options.ConnectTimeout = 300 * time.Millisecond
	_, err := sidecar.New(t.Context(), w.config(), w.options)
	if err == nil || !containsAny(err.Error(), drivertest.Endpoint) {
		t.Errorf("New returned %v, want an error that names the endpoint", err)
	}
}

// E12, E53, E71: nobody touches what is of another driver, nor can an access lead
// from one to the other.
// KEP: FLOW-CREATE-3.1, FLOW-STATIC-2.1, FLOW-DELETE-3.1, DRIVER-3, REASON-24
func TestE53E71TwoDrivers(t *testing.T) {
	a, b := newWorld(t), newWorld(t)
	a.start()
	b.start()
	bucketOfA, bucketOfB := a.readyBucket(), b.readyBucket()
	crossed := b.access([]*v1alpha2.Bucket{bucketOfA})
	b.has(crossed, v1alpha2.ConditionProvisioned, metav1.ConditionFalse, v1alpha2.ReasonDriverMismatch)
	accessOfA := a.readyAccess(bucketOfA)
	a.must(a.Delete(t.Context(), accessOfA))
	a.isHandedBack(accessOfA)
	for _, bucket := range []*v1alpha2.Bucket{bucketOfA, bucketOfB} {
		a.releaseClaim(bucket)
		a.must(a.Delete(t.Context(), bucket))
		a.eventually(func() error { return a.gone(bucket) })
	}
	if got := b.driver.Calls("DriverGenerateBucketAccessId", "DriverGrantBucketAccess", "DriverRevokeBucketAccess"); len(got) > 0 {
		t.Errorf("driver B got calls for A's bucket: %v", got)
	}
	for name, w := range map[string]*world{"A": a, "B": b} {
		if got := w.driver.Buckets(); len(got) > 0 {
			t.Errorf("driver %s is left with %v", name, got)
		}
		if got := len(w.driver.Calls("DriverDeleteBucket")); got != 1 {
			t.Errorf("driver %s: %d calls to delete", name, got)
		}
	}
}

// E68: what was deleted while the sidecar was away is not taken for new.
func TestE68DeletedWhileAway(t *testing.T) {
	w := newWorld(t)
	stop := w.start()
	bucket := w.readyBucket()
	access := w.readyAccess(bucket)
	stop()
	w.must(w.Delete(t.Context(), access))
	w.releaseClaim(bucket)
	w.must(w.Delete(t.Context(), bucket))
	w.start()
	w.isHandedBack(access)
	w.eventually(func() error { return w.gone(bucket) })
	if len(w.driver.Buckets())+len(w.driver.Accounts()) > 0 {
		t.Errorf("left in the backend: %v, %v", w.driver.Buckets(), w.driver.Accounts())
	}
}

// KEP: PRR-5
func TestSettledSystemIsSilent(t *testing.T) {
	w := newWorld(t)
	w.start()
	for range 5 {
		w.readyAccess(w.readyBucket())
	}
	w.settle()
	w.traffic.Forget()
	calls := len(w.driver.Calls())
	<-time.After(2 * time.Second)
	if got := w.traffic.Writes(); len(got) > 0 {
		t.Errorf("writes: %v", got)
	}
	if got := w.driver.Methods()[calls:]; len(got) > 0 {
		t.Errorf("calls: %v", got)
	}
}

// KEP: TEST-6
func TestManyAtOnce(t *testing.T) {
	w := newWorld(t)
	w.start()
	var accesses []*v1alpha2.BucketAccess
	for range 30 {
		accesses = append(accesses, w.access([]*v1alpha2.Bucket{w.bucket()}))
	}
	for _, access := range accesses {
		w.eventually(func() error { return w.isGranted(access) })
	}
	_, writes := w.settle()
	// 3 writes of a Bucket, 4 of an access, 1 more where it had to wait.
	if limit := 30 * 8; writes > limit {
		t.Errorf("%d writes for 30 Buckets and accesses, limit %d", writes, limit)
	}
	if got := len(w.driver.Calls()) - 1; got != 30*4 {
		t.Errorf("%d calls for 30 Buckets and accesses: %v", got, fmt.Sprint(w.driver.Methods()))
	}
}
