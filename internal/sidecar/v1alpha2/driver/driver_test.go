package driver_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/connection"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/v1alpha2/driver"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
	"github.com/cosi-emu/cosi-emu/test/drivertest"
	"github.com/cosi-emu/cosi-emu/test/harness"
	"github.com/cosi-emu/cosi-emu/test/harness/leaks"
)

func connect(t *testing.T, d *drivertest.Driver) *driver.Driver {
	t.Helper()
	connected, err := driver.Connect(t.Context(), options(d))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = connected.Close() })
	return connected
}

func options(d *drivertest.Driver) connection.Options {
	return connection.Options{
		Endpoint: drivertest.Endpoint, DialOptions: d.DialOptions(),
		ConnectTimeout: harness.Timeout, RPCTimeout: harness.Timeout,
	}
}

func noLeaks(t *testing.T) {
	t.Helper()
	goroutines := goleak.IgnoreCurrent()
	t.Cleanup(func() { leaks.Check(t, goroutines) })
}

func TestConnectErrors(t *testing.T) {
	tests := map[string]struct {
		reason  string
		arrange func(*drivertest.Driver, *connection.Options)
		want    codes.Code
	}{
		"NobodyThere": {
			reason:  "the wait is bounded",
			arrange: func(d *drivertest.Driver, o *connection.Options) { d.Stop(); o.ConnectTimeout = 200 * time.Millisecond },
			want:    codes.DeadlineExceeded,
		},
		"NeverAnswers": {
			reason: "also if a driver is there",
			arrange: func(d *drivertest.Driver, o *connection.Options) {
				d.Hang("DriverGetInfo")
				o.ConnectTimeout, o.RPCTimeout = 200*time.Millisecond, 50*time.Millisecond
			},
			want: codes.DeadlineExceeded,
		},
		"NotReadyInTime": {
			reason: "a driver that is not ready is asked again",
			arrange: func(d *drivertest.Driver, o *connection.Options) {
				d.Fail("DriverGetInfo", codes.FailedPrecondition, "starting")
				o.ConnectTimeout = 500 * time.Millisecond
			},
			want: codes.FailedPrecondition,
		},
		// KEP: UPGRADE-1
		"E46AnotherVersion": {
			reason: "a driver of another version is told from one that is late",
			arrange: func(d *drivertest.Driver, _ *connection.Options) {
				d.Fail("DriverGetInfo", codes.Unimplemented, "unknown service")
			},
			want: codes.Unimplemented,
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			noLeaks(t)
			d := drivertest.Start(t, "a.test")
			o := options(d)
			tc.arrange(d, &o)
			_, err := driver.Connect(t.Context(), o)
			failed, ok := errors.AsType[*connection.CallError](err)
			if !ok || failed.Code != tc.want {
				t.Errorf("%s: error %v, want code %s", tc.reason, err, tc.want)
			}
		})
	}
}

// KEP: DRIVER-1
func TestE87ConnectWaitsUntilReady(t *testing.T) {
	noLeaks(t)
	d := drivertest.Start(t, "a.test")
	unanswered := 3
	d.Script("DriverGetInfo", func(_ context.Context, _ proto.Message, next drivertest.Next) (proto.Message, error) {
		if unanswered == 0 {
			return next()
		}
		unanswered--
		return nil, errors.New("starting")
	})
	connected := connect(t, d)
	if connected.Name() != "a.test" {
		t.Errorf("name %q", connected.Name())
	}
	if diff := cmp.Diff([]v1alpha2.Protocol{v1alpha2.ProtocolS3}, connected.Protocols()); diff != "" {
		t.Errorf("protocols (-want +got):\n%s", diff)
	}
}

// After a reconnection, a driver is not called before it has answered DriverGetInfo again.
func TestWatch(t *testing.T) {
	noLeaks(t)
	d := drivertest.Start(t, "a.test")
	connected := connect(t, d)
	ctx, cancel := context.WithCancel(t.Context())
	returned, ended := make(chan struct{}, 8), make(chan error, 1)
	go func() { ended <- connected.Watch(ctx, func() { returned <- struct{}{} }) }()

	for range 3 {
		d.Stop()
		if err := connected.DeleteBucket(ctx, &v1alpha2.Bucket{}); err == nil || connection.IsTerminal(err) {
			t.Errorf("a call without a driver returned %v", err)
		}
		d.Serve()
		harness.Receive(t, "the driver's return is noticed", returned)
		if err := connected.DeleteBucket(ctx, &v1alpha2.Bucket{}); err != nil {
			t.Errorf("a call after the driver's return: %v", err)
		}
	}
	d.Stop()
	d.Rename("b.test")
	d.Serve()
	if err := <-ended; err == nil {
		t.Error("another driver was accepted")
	}
	if err := connected.DeleteBucket(ctx, &v1alpha2.Bucket{}); err == nil {
		t.Error("another driver was called")
	}
	cancel()
}

func TestRequestsForServiceAccounts(t *testing.T) {
	noLeaks(t)
	d := drivertest.Start(t, "a.test")
	connected := connect(t, d)
	access := &v1alpha2.BucketAccess{
		ObjectMeta: metav1.ObjectMeta{UID: "u"},
		Spec: v1alpha2.BucketAccessSpec{
			Protocol: v1alpha2.ProtocolS3, ServiceAccountName: "app",
			BucketClaims: []v1alpha2.BucketClaimAccess{{
				BucketClaimName: "c",
				AccessModes: v1alpha2.BucketAccessModes{
					ObjectMetadata: v1alpha2.BucketAccessModeReadOnly, BucketMetadata: v1alpha2.BucketAccessModeWriteOnly,
				},
			}},
		},
		Status: v1alpha2.BucketAccessStatus{
			AccountID: "acc", AuthenticationType: v1alpha2.AuthenticationTypeServiceAccount,
			AccessedBuckets: []v1alpha2.AccessedBucket{{BucketID: "b", BucketClaimName: "c"}},
		},
	}
	if _, err := connected.GrantBucketAccess(t.Context(), access); err != nil {
		t.Fatal(err)
	}
	want := &cosiv1alpha2.DriverGrantBucketAccessRequest{
		AccountId:          "acc",
		Protocol:           &cosiv1alpha2.ObjectProtocol{Type: cosiv1alpha2.ObjectProtocol_S3},
		AuthenticationType: &cosiv1alpha2.AuthenticationType{Type: cosiv1alpha2.AuthenticationType_SERVICE_ACCOUNT},
		ServiceAccountName: "app",
		Buckets: []*cosiv1alpha2.DriverGrantBucketAccessRequest_AccessedBucket{{
			BucketId:                 "b",
			ObjectDataAccessMode:     &cosiv1alpha2.AccessMode{Mode: cosiv1alpha2.AccessMode_ANY},
			ObjectMetadataAccessMode: &cosiv1alpha2.AccessMode{Mode: cosiv1alpha2.AccessMode_READ_ONLY},
			BucketMetadataAccessMode: &cosiv1alpha2.AccessMode{Mode: cosiv1alpha2.AccessMode_WRITE_ONLY},
		}},
	}
	if diff := cmp.Diff(want, d.Calls("DriverGrantBucketAccess")[0].Request, protocmp.Transform()); diff != "" {
		t.Errorf("request (-want +got):\n%s", diff)
	}
}
