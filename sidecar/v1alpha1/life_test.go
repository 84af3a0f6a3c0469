package v1alpha1_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"k8s.io/client-go/rest"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	"github.com/cosi-emu/cosi-emu/deploy"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/controlplanetest"
	cosisidecar "github.com/cosi-emu/cosi-emu/sidecar"
	sidecarv1alpha1 "github.com/cosi-emu/cosi-emu/sidecar/v1alpha1"
	"github.com/cosi-emu/cosi-emu/test/drivertest"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// A driver that is not up yet, or answers DriverGetInfo late, is waited for.
// Known failure: E64
// Spec: A1-CONFIG-5
func TestDriverIsLate(t *testing.T) {
	cl := newTestCluster(t)
	cl.driver.Stop()
	cl.options.ConnectTimeout = 300 * time.Millisecond
	_, err := sidecarv1alpha1.New(t.Context(), cl.Config(deploy.SidecarServiceAccount), cl.options)
	if err == nil || !strings.Contains(err.Error(), "did not answer") {
		t.Fatalf("error %v", err)
	}
	cl.options.ConnectTimeout = 0
	late := 3
	cl.driver.Script("DriverGetInfo", func(_ context.Context, _ proto.Message, next drivertest.Next) (proto.Message, error) {
		late--
		if late >= 0 {
			return nil, status.Error(codes.Unavailable, "starting")
		}
		return next()
	})
	dials := cl.driver.Dials()
	served := make(chan struct{})
	go func() {
		defer close(served)
		harness.Until(t, "the sidecar tries to connect", func(context.Context) (bool, error) { return cl.driver.Dials() > dials, nil })
		cl.driver.Serve()
	}()
	cl.start()
	<-served
	cl.readyBucket()
}

// Names are domain names of at most 63 characters, in any letter case.
func TestDriverNames(t *testing.T) {
	for name, valid := range map[string]bool{
		"S3.Example.com": true, "3par.example.com": true, strings.Repeat("x", 63): true,
		"": false, "a_b": false, "-a": false, "a..b": false, strings.Repeat("x", 64): false, "a/b": false,
	} {
		d := drivertest.StartV1alpha1(t, name)
		got, err := sidecarv1alpha1.GetDriverName(t.Context(), cosisidecar.Options{Endpoint: drivertest.Endpoint, DialOptions: d.DialOptions()})
		if isValid := err == nil && got == name; isValid != valid {
			t.Errorf("name %q: %q, %v", name, got, err)
		}
	}
}

// A driver of another generation, or none, is named.
// Known failure: E46
func TestDriverOfAnotherGeneration(t *testing.T) {
	newer := drivertest.Start(t, "new.test")
	options := cosisidecar.Options{Endpoint: drivertest.Endpoint, DialOptions: newer.DialOptions()}
	_, err := sidecarv1alpha1.GetDriverName(t.Context(), options)
	if !errors.Is(err, sidecarv1alpha1.ErrDriverGeneration) || !strings.Contains(err.Error(), "but v1alpha2") {
		t.Errorf("a driver of v1alpha2: %v", err)
	}
	newer.Fail("DriverGetInfo", codes.Unimplemented, "unknown service")
	_, err = sidecarv1alpha1.GetDriverName(t.Context(), options)
	if !errors.Is(err, sidecarv1alpha1.ErrDriverGeneration) || !strings.Contains(err.Error(), "nor v1alpha2") {
		t.Errorf("no COSI driver: %v", err)
	}
	older := drivertest.StartV1alpha1(t, "old.test")
	options.DialOptions = older.DialOptions()
	if _, err := cosisidecar.GetDriverName(t.Context(), options); !errors.Is(err, cosisidecar.ErrDriverGeneration) {
		t.Errorf("a driver of v1alpha1 for the sidecar of v1alpha2: %v", err)
	}
}

// A renamed driver ends the sidecar with a clear error. Letter case is no new name.
// Known failure: E76
func TestDriverIsRenamed(t *testing.T) {
	cl := newTestCluster(t)
	s, err := sidecarv1alpha1.New(t.Context(), cl.Config(deploy.SidecarServiceAccount), cl.options)
	cl.Must(err)
	ended := make(chan error, 1)
	go func() { ended <- s.Start(t.Context()) }()
	cl.Must(s.WaitReady(t.Context()))
	restart := func(name string) {
		cl.driver.Stop()
		cl.driver.Rename(name)
		cl.driver.Serve()
	}
	restart(strings.ToUpper(s.DriverName()))
	cl.readyBucket()
	restart("another.test")
	if err := harness.Receive(t, "the sidecar ends", ended); err == nil || !strings.Contains(err.Error(), `to "another.test"`) {
		t.Errorf("error %v", err)
	}
}

// A cluster with the kinds of the other version is named, and what to do.
func TestClusterOfAnotherVersion(t *testing.T) {
	older, newer := drivertest.StartV1alpha1(t, "old.test"), drivertest.Start(t, "new.test")
	for _, tc := range []struct {
		cluster, needs objectstorage.Version
		newSidecar     func(*rest.Config) error
	}{
		{objectstorage.V1alpha2, objectstorage.V1alpha1, func(cfg *rest.Config) error {
			_, err := sidecarv1alpha1.New(t.Context(), cfg, cosisidecar.Options{Endpoint: drivertest.Endpoint, DialOptions: older.DialOptions()})
			return err
		}},
		{objectstorage.V1alpha1, objectstorage.V1alpha2, func(cfg *rest.Config) error {
			_, err := cosisidecar.New(t.Context(), cfg, cosisidecar.Options{Endpoint: drivertest.Endpoint, DialOptions: newer.DialOptions()})
			return err
		}},
	} {
		t.Run(string(tc.needs), func(t *testing.T) {
			err := tc.newSidecar(controlplanetest.StartVersion(t, tc.cluster).AdminConfig())
			want := "CustomResourceDefinition buckets.objectstorage.k8s.io serves " + string(tc.cluster) + " and not " + string(tc.needs)
			if err == nil || !hasAll(err.Error(), []string{want, "one cluster cannot have both"}) {
				t.Errorf("error %v, want %q", err, want)
			}
		})
	}
}

// A driver of v1alpha2 in place of the one of v1alpha1 ends the sidecar with a clear error, and is
// not called. Nothing is lost: when the first driver is back, its buckets are deleted.
func TestDriverChangesGeneration(t *testing.T) {
	cl := newTestCluster(t)
	newer := drivertest.Start(t, cl.driver.Name())
	var current atomic.Pointer[drivertest.Server]
	current.Store(cl.driver.Server)
	cl.options.DialOptions = drivertest.Replaceable(current.Load)
	s, ended := cl.launch()
	cl.Must(s.WaitReady(t.Context()))
	bucket := cl.readyBucket()
	current.Store(newer.Server)
	cl.driver.Stop()
	err := harness.Receive(t, "the sidecar ends", ended)
	if !errors.Is(err, sidecarv1alpha1.ErrDriverGeneration) || !hasAll(err.Error(), []string{"has reconnected", "but v1alpha2"}) {
		t.Errorf("error %v", err)
	}
	for _, method := range newer.Methods() {
		if method != "DriverGetInfo" {
			t.Errorf("the driver of v1alpha2 got the call %s", method)
		}
	}
	current.Store(cl.driver.Server)
	cl.driver.Serve()
	cl.start()
	cl.waitBucket(bucket)
	cl.remove(bucket)
	cl.isEmpty()
}

// At most one call that changes something is in flight for each bucket, and one that
// waits holds no worker. A call that hangs ends by its deadline.
// Spec: A1-CALLS-1
func TestOneCallForEachBucket(t *testing.T) {
	cl := newTestCluster(t)
	cl.options.Workers = 2
	cl.start()
	busy, free := cl.readyBucket(), cl.readyBucket()
	held, class := busy.Status.BucketID, cl.class()
	cl.settle()
	var mu sync.Mutex
	inFlight, most := map[string]int{}, 0
	gate := make(chan struct{})
	hold := func(ctx context.Context, m proto.Message, next drivertest.Next) (proto.Message, error) {
		id := m.(interface{ GetBucketId() string }).GetBucketId() //nolint:forcetypeassert // both requests have it
		add := func(n int) {
			mu.Lock()
			defer mu.Unlock()
			inFlight[id] += n
			most = max(most, inFlight[id])
		}
		add(1)
		defer add(-1)
		if id == held {
			select {
			case <-gate:
			case <-ctx.Done():
			}
		}
		return next()
	}
	for _, method := range []string{grantAccess, revokeAccess, deleteBucket} {
		cl.driver.Script(method, hold)
	}
	var accesses []*v1alpha1.BucketAccess
	for range 4 {
		accesses = append(accesses, cl.access(busy, class.Name))
	}
	cl.waitGranted(cl.access(free, class.Name))
	close(gate)
	for _, access := range accesses {
		cl.waitGranted(access)
		cl.Must(cl.Delete(t.Context(), access))
	}
	cl.Must(cl.Delete(t.Context(), busy))
	cl.Eventually(func() error { return cl.isGone(busy) })
	mu.Lock()
	defer mu.Unlock()
	if most != 1 {
		t.Errorf("%d calls in flight for one bucket, want 1", most)
	}
}

// Spec: A1-CALLS-3
func TestEveryCallHasADeadline(t *testing.T) {
	cl := newTestCluster(t)
	cl.options.RPCTimeout = 200 * time.Millisecond
	cl.start()
	for _, method := range []string{createBucket, grantAccess, revokeAccess, deleteBucket} {
		cl.driver.Hang(method)
	}
	class, bucket := cl.class(), cl.bucket()
	cl.waitEvent(bucket, "FailedCreateBucket", "DeadlineExceeded")
	cl.driver.Script(createBucket, nil)
	cl.waitBucket(bucket)
	cl.bind(bucket)
	access := cl.access(bucket, class.Name)
	cl.waitEvent(access, "FailedGrantAccess", "DeadlineExceeded")
	cl.driver.Script(grantAccess, nil)
	cl.waitGranted(access)
	cl.Must(cl.Delete(t.Context(), access))
	cl.waitEvent(access, "FailedRevokeAccess", "DeadlineExceeded")
	cl.driver.Script(revokeAccess, nil)
	cl.Eventually(func() error { return cl.isGone(access) })
	cl.Must(cl.Delete(t.Context(), bucket))
	cl.waitEvent(bucket, "FailedDeleteBucket", "DeadlineExceeded")
	cl.driver.Script(deleteBucket, nil)
	cl.Eventually(func() error { return cl.isGone(bucket) })
}

// A deletion that began while the sidecar was down is finished after its start.
// Known failure: E68
func TestDeletionWhileDown(t *testing.T) {
	cl := newTestCluster(t)
	stop := cl.start()
	bucket := cl.readyBucket()
	access := cl.readyAccess(bucket)
	stop()
	cl.Must(cl.Delete(t.Context(), access))
	cl.Must(cl.Delete(t.Context(), bucket))
	cl.start()
	for _, check := range []func() error{func() error { return cl.isGone(access) }, func() error { return cl.isGone(bucket) }} {
		cl.Eventually(check)
	}
	cl.isEmpty()
	if calls := cl.driver.Calls(createBucket, grantAccess); len(calls) != 2 {
		t.Errorf("calls: %v", calls)
	}
}

// A rejected Grant is tried again when the class changes, and not before.
func TestRejectedGrantIsFinal(t *testing.T) {
	for _, code := range []codes.Code{codes.InvalidArgument, codes.OutOfRange, codes.Unimplemented} {
		t.Run(code.String(), func(t *testing.T) {
			cl := newTestCluster(t)
			cl.driver.Fail(grantAccess, code, "no such role")
			cl.start()
			class := cl.class()
			access := cl.access(cl.readyBucket(), class.Name)
			cl.waitEvent(access, "Warning FailedGrantAccess", "no such role")
			cl.settle() // a late watch of the claim may cause another call; a retry would have no end
			cl.driver.Script(grantAccess, nil)
			cl.Modify(class, func() { class.Parameters = map[string]string{"role": "other"} })
			cl.waitGranted(access)
		})
	}
}

// An access that begins while the last other one ends keeps the Bucket.
func TestBucketIsKeptForTheNextAccess(t *testing.T) {
	cl := newTestCluster(t)
	cl.start()
	bucket, class := cl.readyBucket(), cl.class()
	access := cl.access(bucket, class.Name)
	cl.waitGranted(access)
	for i := range 5 {
		next := cl.access(bucket, class.Name)
		cl.Must(cl.Delete(t.Context(), access))
		cl.waitGranted(next)
		cl.Eventually(func() error { return cl.isGone(access) })
		cl.Must(cl.Refresh(bucket))
		if len(bucket.Finalizers) != 2 {
			t.Fatal(fmt.Errorf("round %d: finalizers %v", i, bucket.Finalizers))
		}
		access = next
	}
	cl.remove(access, bucket)
	cl.isEmpty()
}
