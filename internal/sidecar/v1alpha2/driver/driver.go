package driver

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	"google.golang.org/grpc/codes"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/connection"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

// Driver is a connection to a COSI driver with a known name. Its methods are safe for
// concurrent use.
type Driver struct {
	*connection.Conn

	provisioner cosiv1alpha2.ProvisionerClient
	protocols   atomic.Pointer[[]v1alpha2.Protocol]
}

// Connect returns a connection to the driver once it has answered DriverGetInfo, as
// connection.Connect does.
func Connect(ctx context.Context, options connection.Options) (*Driver, error) {
	d := &Driver{}
	conn, err := connection.Connect(ctx, options, connection.Generation{GetInfo: d.getInfo, IsFinal: IsFinal})
	if err != nil {
		return nil, err
	}
	d.Conn, d.provisioner = conn, cosiv1alpha2.NewProvisionerClient(conn.Client())
	return d, nil
}

// Protocols returns the protocols that the driver serves. They may change when the
// driver restarts. The caller owns the slice.
func (d *Driver) Protocols() []v1alpha2.Protocol { return slices.Clone(*d.protocols.Load()) }

const (
	generateBucketID       = "DriverGenerateBucketId"
	createBucket           = "DriverCreateBucket"
	getBucket              = "DriverGetBucket"
	deleteBucket           = "DriverDeleteBucket"
	generateBucketAccessID = "DriverGenerateBucketAccessId"
	grantBucketAccess      = "DriverGrantBucketAccess"
	revokeBucketAccess     = "DriverRevokeBucketAccess"
)

// orDialect completes the error of a call that only the KEP has with advice for a driver without
// it.
func orDialect(err error) error {
	if connection.CodeOf(err) != codes.Unimplemented {
		return err
	}
	return fmt.Errorf("%w; the driver speaks an earlier dialect of COSI v1alpha2: start 'cosi-emu sidecar' with --state-dir "+
		"and without --dialect=kep, or put 'cosi-emu bridge' in front of the driver", err)
}
