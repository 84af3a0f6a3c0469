// Package driver is the sidecar's client of a COSI driver of v1alpha1: the calls, and the
// validation of the answers, so that no reconciler gets an unvalidated or missing one.
package driver

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/connection"
	cosiv1alpha1 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha1"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

// ErrGeneration is wrapped by the error of a driver that does not speak v1alpha1.
var ErrGeneration = errors.New("it does not serve COSI v1alpha1")

const (
	getInfo            = "DriverGetInfo"
	createBucket       = "DriverCreateBucket"
	deleteBucket       = "DriverDeleteBucket"
	grantBucketAccess  = "DriverGrantBucketAccess"
	revokeBucketAccess = "DriverRevokeBucketAccess"
)

// maxNameLength is the maximum length of a driver's name, in bytes.
const maxNameLength = 63

// Driver is a connection to a COSI driver with a known name. Its methods are safe for
// concurrent use.
type Driver struct {
	*connection.Conn

	provisioner cosiv1alpha1.ProvisionerClient
}

// Connect returns a connection to the driver once it has answered DriverGetInfo, as
// connection.Connect does.
func Connect(ctx context.Context, options connection.Options) (*Driver, error) {
	conn, err := connection.Connect(ctx, options, connection.Generation{GetInfo: askInfo, IsFinal: isFinal})
	if err != nil {
		return nil, err
	}
	return &Driver{Conn: conn, provisioner: cosiv1alpha1.NewProvisionerClient(conn.Client())}, nil
}

// Serves reports whether a name in an object is the driver's.
func (d *Driver) Serves(name string) bool { return v1alpha1.IsDriver(name, d.Name()) }

func askInfo(ctx context.Context, conn grpc.ClientConnInterface) (connection.Info, error) {
	response, err := cosiv1alpha1.NewIdentityClient(conn).DriverGetInfo(ctx, &cosiv1alpha1.DriverGetInfoRequest{}, grpc.WaitForReady(true))
	if status.Code(err) == codes.Unimplemented {
		final := func(string, codes.Code) bool { return true }
		return connection.Info{}, fmt.Errorf("%w (service %s), %s: %w",
			ErrGeneration, cosiv1alpha1.Identity_ServiceDesc.ServiceName, otherGeneration(ctx, conn), connection.NewCallError(getInfo, err, final))
	}
	if err != nil {
		return connection.Info{}, connection.NewCallError(getInfo, err, isFinal)
	}
	return connection.Info{Name: response.GetName()}, checkName(response.GetName())
}

// otherGeneration describes the protocol that the driver speaks instead.
func otherGeneration(ctx context.Context, conn grpc.ClientConnInterface) string {
	_, err := cosiv1alpha2.NewIdentityClient(conn).DriverGetInfo(ctx, &cosiv1alpha2.DriverGetInfoRequest{})
	if err == nil {
		return "but v1alpha2; run the sidecar of v1alpha2"
	}
	return "nor v1alpha2; is it a COSI driver?"
}

func checkName(name string) error {
	if len(name) > maxNameLength {
		return connection.Invalid(getInfo, "the driver's name is %d characters long; the limit is %d", len(name), maxNameLength)
	}
	if problems := validation.IsDNS1123Subdomain(strings.ToLower(name)); len(problems) > 0 {
		return connection.Invalid(getInfo, "the driver's name %q is no domain name: %s", name, problems[0])
	}
	return nil
}
