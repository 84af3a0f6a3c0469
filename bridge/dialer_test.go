package bridge_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/cosi-emu/cosi-emu/bridge"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
	"github.com/cosi-emu/cosi-emu/test/dialectdriver"
	"github.com/cosi-emu/cosi-emu/test/harness/leaks"
)

// dialed is a driver behind a Dialer.
type dialed struct {
	conn   *grpc.ClientConn
	opened []string // names of drivers whose stores were created
	driver *dialectdriver.Driver
	socket string
}

// retries are of calls during a restart, which may end them at any time: a sidecar repeats them, too.
var retries = grpc.WithDefaultServiceConfig(`{"methodConfig": [{
	"name": [{"service": "` + cosiv1alpha2.Provisioner_ServiceDesc.ServiceName + `"}],
	"retryPolicy": {
		"maxAttempts": 5, "initialBackoff": "0.1s", "maxBackoff": "1s", "backoffMultiplier": 2, "retryableStatusCodes": ["UNAVAILABLE"]
	}
}]}`)

// newDialed returns a connection to the driver of a socket, whose store exists from the beginning or
// is created.
func newDialed(t *testing.T, driver *dialectdriver.Driver, exists bool, store bridge.KeyStore) *dialed {
	t.Helper()
	others := goleak.IgnoreCurrent()
	t.Cleanup(func() { leaks.Check(t, others) })
	d := &dialed{driver: driver, socket: filepath.Join(t.TempDir(), "d.sock")}
	dialer, err := bridge.NewDialer(bridge.Options{Driver: "unix://" + d.socket}, func(name string, create bool) (bridge.KeyStore, error) {
		if create {
			d.opened = append(d.opened, name)
		}
		if create || exists {
			return store, nil
		}
		return nil, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	d.conn, err = grpc.NewClient("unix://"+d.socket, grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(dialer.DialContext), grpc.WithDefaultCallOptions(grpc.WaitForReady(true)), retries)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(d.conn.Close(), dialer.Close()); err != nil {
			t.Error(err)
		}
	})
	return d
}

// create makes a bucket and returns its ID.
func (d *dialed) create(t *testing.T, name string) string {
	t.Helper()
	provisioner := cosiv1alpha2.NewProvisionerClient(d.conn)
	generated, err := provisioner.DriverGenerateBucketId(t.Context(), &cosiv1alpha2.DriverGenerateBucketIdRequest{Name: name})
	if err != nil {
		t.Fatal(err)
	}
	request := &cosiv1alpha2.DriverCreateBucketRequest{BucketId: generated.GetBucketId(), Protocols: []*cosiv1alpha2.ObjectProtocol{s3()}}
	created, err := provisioner.DriverCreateBucket(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	if created.GetProtocols().GetS3() == nil {
		t.Error("the bucket has no information for S3")
	}
	return generated.GetBucketId()
}

func (d *dialed) delete(t *testing.T, id string) {
	t.Helper()
	_, err := cosiv1alpha2.NewProvisionerClient(d.conn).DriverDeleteBucket(t.Context(), &cosiv1alpha2.DriverDeleteBucketRequest{BucketId: id})
	if err != nil {
		t.Fatal(err)
	}
}

// TestDialer: a driver is behind a bridge, which stores its IDs, unless it speaks the KEP's dialect.
func TestDialer(t *testing.T) {
	for name, tc := range map[string]struct {
		dialect dialects.Dialect
		opened  []string
		id      string
	}{
		"OneMode":    {dialects.OneMode, []string{dialectdriver.Name}, "bc-1"},
		"OneModeGet": {dialects.OneModeGet, []string{dialectdriver.Name}, "bc-1"},
		"BucketIDs":  {dialects.BucketIDs, []string{dialectdriver.Name}, "loc:bc-1"},
		"KEP":        {dialects.KEP, nil, "loc:bc-1"},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDialed(t, &dialectdriver.Driver{Dialect: tc.dialect, IDOf: ownID}, false, memory{})
			d.driver.ListenAt(t, d.socket)
			id := d.create(t, "bc-1")
			if diff := cmp.Diff([]string{"bucket loc:bc-1 of " + id}, d.driver.Left()); diff != "" || id != tc.id {
				t.Errorf("ID %s, want %s; buckets (-want +got):\n%s", id, tc.id, diff)
			}
			d.delete(t, id)
			if left := d.driver.Left(); left != nil {
				t.Errorf("the driver has %v", left)
			}
			if diff := cmp.Diff(tc.opened, d.opened); diff != "" {
				t.Errorf("stores (-want +got):\n%s", diff)
			}
		})
	}
}

// unlisted is a store that fails to list its keys.
type unlisted struct {
	memory

	err error
}

func (u unlisted) Keys(context.Context) ([]string, error) { return nil, u.err }

// TestDialerUnlisted: an account without the right to list ConfigMaps has stored none. After any other
// error it is not known whether a driver of the KEP's dialect needs a bridge.
func TestDialerUnlisted(t *testing.T) {
	forbidden := unlisted{memory{}, apierrors.NewForbidden(schema.GroupResource{Resource: "configmaps"}, "", nil)}
	d := newDialed(t, &dialectdriver.Driver{Dialect: dialects.KEP}, true, forbidden)
	d.driver.ListenAt(t, d.socket)
	d.create(t, "bc-1")
	d = newDialed(t, &dialectdriver.Driver{Dialect: dialects.KEP}, true, unlisted{memory{}, errors.New("the API server is away")})
	d.driver.ListenAt(t, d.socket)
	_, err := cosiv1alpha2.NewIdentityClient(d.conn).DriverGetInfo(t.Context(), &cosiv1alpha2.DriverGetInfoRequest{}, grpc.WaitForReady(false))
	if status.Code(err) != codes.Unavailable || !strings.Contains(err.Error(), "the API server is away") {
		t.Errorf("DriverGetInfo: %v, want Unavailable with the error of the store", err)
	}
}

// TestDialerAfterRestart: a driver may start late, and in another dialect than before. A bridge stays
// in front of it as long as IDs are stored.
func TestDialerAfterRestart(t *testing.T) {
	store := memory{}
	d := newDialed(t, &dialectdriver.Driver{Dialect: dialects.KEP, IDOf: ownID}, true, store)
	restart := func(dialect dialects.Dialect, stop func()) func() {
		if stop != nil {
			stop()
			d.conn.WaitForStateChange(t.Context(), connectivity.Ready)
		}
		d.driver.Dialect = dialect
		return d.driver.ListenAt(t, d.socket)
	}
	d.conn.Connect()
	stop := restart(dialects.KEP, nil)
	d.create(t, "bc-0")
	if diff := cmp.Diff(memory{}, store); diff != "" {
		t.Errorf("a driver of the KEP's dialect is behind a bridge, which has stored (-want +got):\n%s", diff)
	}
	stop = restart(dialects.OneMode, stop)
	d.create(t, "bc-1")
	stop = restart(dialects.KEP, stop)
	d.delete(t, "bc-1")
	if diff := cmp.Diff([]string{"bucket loc:bc-0 of loc:bc-0"}, d.driver.Left()); diff != "" {
		t.Errorf("buckets (-want +got):\n%s", diff)
	}
	restart(dialects.KEP, stop)
	d.create(t, "bc-2")
	if diff := cmp.Diff(memory{}, store); diff != "" {
		t.Errorf("the driver is still behind a bridge, which has stored (-want +got):\n%s", diff)
	}
}
