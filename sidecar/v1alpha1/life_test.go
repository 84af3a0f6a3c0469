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
	w := newWorld(t)
	w.driver.Stop()
	w.options.ConnectTimeout = 300 * time.Millisecond
	if _, err := sidecarv1alpha1.New(t.Context(), w.config(), w.options); err == nil || !strings.Contains(err.Error(), "did not answer") {
		t.Fatalf("error %v", err)
	}
	w.options.ConnectTimeout = 0
	late := 3
	w.driver.Script("DriverGetInfo", func(_ context.Context, _ proto.Message, next drivertest.Next) (proto.Message, error) {
		late--
		if late >= 0 {
			return nil, status.Error(codes.Unavailable, "starting")
		}
		return next()
	})
	dials := w.driver.Dials()
	served := make(chan struct{})
	go func() {
		defer close(served)
		harness.Until(t, "the sidecar tries to connect", func(context.Context) (bool, error) { return w.driver.Dials() > dials, nil })
		w.driver.Serve()
	}()
	w.start()
	<-served
	w.readyBucket()
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
	w := newWorld(t)
	s, err := sidecarv1alpha1.New(t.Context(), w.config(), w.options)
	w.Must(err)
	ended := make(chan error, 1)
	go func() { ended <- s.Start(t.Context()) }()
	w.Must(s.WaitReady(t.Context()))
	restart := func(name string) {
		w.driver.Stop()
		w.driver.Rename(name)
		w.driver.Serve()
	}
	restart(strings.ToUpper(s.DriverName()))
	w.readyBucket()
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
	w := newWorld(t)
	newer := drivertest.Start(t, w.driver.Name())
	var current atomic.Pointer[drivertest.Server]
	current.Store(w.driver.Server)
	w.options.DialOptions = drivertest.Replaceable(current.Load)
	s, ended := w.launch()
	w.Must(s.WaitReady(t.Context()))
	bucket := w.readyBucket()
	current.Store(newer.Server)
	w.driver.Stop()
	err := harness.Receive(t, "the sidecar ends", ended)
	if !errors.Is(err, sidecarv1alpha1.ErrDriverGeneration) || !hasAll(err.Error(), []string{"has reconnected", "but v1alpha2"}) {
		t.Errorf("error %v", err)
	}
	for _, method := range newer.Methods() {
		if method != "DriverGetInfo" {
			t.Errorf("the driver of v1alpha2 got the call %s", method)
		}
	}
	current.Store(w.driver.Server)
	w.driver.Serve()
	w.start()
	w.waitBucket(bucket)
	w.remove(bucket)
	w.isEmpty()
}

// At most one call that changes something is in flight for each bucket, and one that
// waits holds no worker. A call that hangs ends by its deadline.
// Spec: A1-CALLS-1
func TestOneCallForEachBucket(t *testing.T) {
	w := newWorld(t)
	w.options.Workers = 2
	w.start()
	busy, free := w.readyBucket(), w.readyBucket()
	held, class := busy.Status.BucketID, w.class()
	w.settle()
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
		w.driver.Script(method, hold)
	}
	var accesses []*v1alpha1.BucketAccess
	for range 4 {
		accesses = append(accesses, w.access(busy, class.Name))
	}
	w.waitGranted(w.access(free, class.Name))
	close(gate)
	for _, access := range accesses {
		w.waitGranted(access)
		w.Must(w.Delete(t.Context(), access))
	}
	w.Must(w.Delete(t.Context(), busy))
	w.Eventually(func() error { return w.isGone(busy) })
	mu.Lock()
	defer mu.Unlock()
	if most != 1 {
		t.Errorf("%d calls in flight for one bucket, want 1", most)
	}
}

// Spec: A1-CALLS-3
func TestEveryCallHasADeadline(t *testing.T) {
	w := newWorld(t)
	w.options.RPCTimeout = 200 * time.Millisecond
	w.start()
	for _, method := range []string{createBucket, grantAccess, revokeAccess, deleteBucket} {
		w.driver.Hang(method)
	}
	class, bucket := w.class(), w.bucket()
	w.waitEvent(bucket, "FailedCreateBucket", "DeadlineExceeded")
	w.driver.Script(createBucket, nil)
	w.waitBucket(bucket)
	w.bind(bucket)
	access := w.access(bucket, class.Name)
	w.waitEvent(access, "FailedGrantAccess", "DeadlineExceeded")
	w.driver.Script(grantAccess, nil)
	w.waitGranted(access)
	w.Must(w.Delete(t.Context(), access))
	w.waitEvent(access, "FailedRevokeAccess", "DeadlineExceeded")
	w.driver.Script(revokeAccess, nil)
	w.Eventually(func() error { return w.isGone(access) })
	w.Must(w.Delete(t.Context(), bucket))
	w.waitEvent(bucket, "FailedDeleteBucket", "DeadlineExceeded")
	w.driver.Script(deleteBucket, nil)
	w.Eventually(func() error { return w.isGone(bucket) })
}

// What was being deleted when the sidecar starts is deleted.
// Known failure: E68
func TestDeletionWhileDown(t *testing.T) {
	w := newWorld(t)
	stop := w.start()
	bucket := w.readyBucket()
	access := w.readyAccess(bucket)
	stop()
	w.Must(w.Delete(t.Context(), access))
	w.Must(w.Delete(t.Context(), bucket))
	w.start()
	for _, check := range []func() error{func() error { return w.isGone(access) }, func() error { return w.isGone(bucket) }} {
		w.Eventually(check)
	}
	w.isEmpty()
	if calls := w.driver.Calls(createBucket, grantAccess); len(calls) != 2 {
		t.Errorf("calls: %v", calls)
	}
}

// A rejected Grant is tried again when the class changes, and not before.
func TestRejectedGrantIsFinal(t *testing.T) {
	for _, code := range []codes.Code{codes.InvalidArgument, codes.OutOfRange, codes.Unimplemented} {
		t.Run(code.String(), func(t *testing.T) {
			w := newWorld(t)
			w.driver.Fail(grantAccess, code, "no such role")
			w.start()
			class := w.class()
			access := w.access(w.readyBucket(), class.Name)
			w.waitEvent(access, "Warning FailedGrantAccess", "no such role")
			w.settle() // a late watch of the claim may cause another call; a retry would have no end
			w.driver.Script(grantAccess, nil)
			w.Modify(class, func() { class.Parameters = map[string]string{"role": "other"} })
			w.waitGranted(access)
		})
	}
}

// An access that begins while the last other one ends keeps the Bucket.
func TestBucketIsKeptForTheNextAccess(t *testing.T) {
	w := newWorld(t)
	w.start()
	bucket, class := w.readyBucket(), w.class()
	access := w.access(bucket, class.Name)
	w.waitGranted(access)
	for i := range 5 {
		next := w.access(bucket, class.Name)
		w.Must(w.Delete(t.Context(), access))
		w.waitGranted(next)
		w.Eventually(func() error { return w.isGone(access) })
		w.Must(w.Refresh(bucket))
		if len(bucket.Finalizers) != 2 {
			t.Fatal(fmt.Errorf("round %d: finalizers %v", i, bucket.Finalizers))
		}
		access = next
	}
	w.remove(access, bucket)
	w.isEmpty()
}
