package bridge

import (
	"context"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	cosiv1alpha1 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha1"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
)

// bucketInfo and bucket have long names in the protocol.
type (
	bucketInfo     = cosiv1alpha2.ObjectProtocolAndBucketInfo
	accessedBucket = cosiv1alpha2.DriverGrantBucketAccessRequest_AccessedBucket
)

// driver is a driver in its dialect. The requests are the sidecar's, with its IDs;
// arguments called own are the driver's IDs of the same buckets.
type driver interface {
	traits

	getInfo(ctx context.Context) (*cosiv1alpha2.DriverGetInfoResponse, error)

	// generateBucketID returns the ID of a new bucket: its name, unless the driver chooses IDs
	// before it creates.
	generateBucketID(ctx context.Context, request *cosiv1alpha2.DriverGenerateBucketIdRequest) (string, error)
	// createBucket returns the ID of the bucket. If the driver has returned one before, known
	// is the latest.
	createBucket(ctx context.Context, request *cosiv1alpha2.DriverCreateBucketRequest, known string) (string, *bucketInfo, error)
	// getBucket returns the ID of a bucket that exists already. The code is UNIMPLEMENTED if the
	// driver cannot look buckets up.
	getBucket(ctx context.Context, request *cosiv1alpha2.DriverGetBucketRequest, own string) (string, *bucketInfo, error)
	deleteBucket(ctx context.Context, request *cosiv1alpha2.DriverDeleteBucketRequest, own string) error

	// generateAccountID is generateBucketID for an account.
	generateAccountID(ctx context.Context, request *cosiv1alpha2.DriverGenerateBucketAccessIdRequest, own []string) (string, error)
	// grant returns the ID of the account, also with an error about the rest of the driver's
	// response. The response has the bucket IDs of the request.
	grant(
		ctx context.Context, request *cosiv1alpha2.DriverGrantBucketAccessRequest, own []string, known string,
	) (account string, response *cosiv1alpha2.DriverGrantBucketAccessResponse, err error)
	// revoke takes the access of an account from the buckets with the given IDs.
	revoke(ctx context.Context, request *cosiv1alpha2.DriverRevokeBucketAccessRequest, account string, own []string) error
}

// driver returns the driver in its dialect, which it may have to ask for.
func (b *Bridge) driver(ctx context.Context) (driver, error) {
	dialect, conn, err := b.dialect(ctx)
	if err != nil {
		return nil, err
	}
	return newDriver(dialect, conn, b.options), nil
}

// traits are known of a dialect. No call is made.
type traits interface {
	// checkBucket rejects a bucket that the dialect cannot express.
	checkBucket(protocols []*cosiv1alpha2.ObjectProtocol) error
	// checkGrant is checkBucket for access.
	checkGrant(request grantRequest, buckets []*accessedBucket) error
	// choosesBucketIDs reports whether the driver chooses the ID of a bucket when it has created it.
	choosesBucketIDs() bool
	// choosesAccountIDs is choosesBucketIDs for accounts.
	choosesAccountIDs() bool
}

func newDriver(dialect dialects.Dialect, conn grpc.ClientConnInterface, options Options) driver {
	if dialect == dialects.V1alpha1 {
		return v1alpha1Driver{
			options: options, identity: cosiv1alpha1.NewIdentityClient(conn), provisioner: cosiv1alpha1.NewProvisionerClient(conn),
		}
	}
	return v1alpha2Driver{
		Client: dialects.NewClient(conn, dialect), dialect: dialect, identity: cosiv1alpha2.NewIdentityClient(conn),
	}
}

// dialect returns the dialect of the driver, and the connection on which it speaks it.
func (b *Bridge) dialect(ctx context.Context) (dialects.Dialect, grpc.ClientConnInterface, error) {
	if b.options.Dialect != "" {
		return b.options.Dialect, b.conn, nil
	}
	awaitReady(ctx, b.conn)
	dialect, connection := b.detection.known()
	conn := pinned{b.conn, connection}
	if dialect != "" {
		return dialect, conn, nil
	}
	dialect, err := b.ask(ctx, conn)
	if err != nil {
		return "", nil, err
	}
	if b.detection.set(dialect, connection) && b.options.Detected != nil {
		b.options.Detected(dialect)
	}
	return dialect, conn, nil
}

// ask asks the driver for its dialect.
func (b *Bridge) ask(ctx context.Context, conn grpc.ClientConnInterface) (dialects.Dialect, error) {
	if b.options.Ask != nil {
		return b.options.Ask(ctx)
	}
	return dialects.Detect(ctx, conn)
}

// DriverGetInfo implements cosiv1alpha2.IdentityServer.
func (b *Bridge) DriverGetInfo(
	ctx context.Context, _ *cosiv1alpha2.DriverGetInfoRequest,
) (*cosiv1alpha2.DriverGetInfoResponse, error) {
	d, err := b.driver(ctx)
	if err != nil {
		return nil, err
	}
	info, err := d.getInfo(ctx)
	if status.Code(err) == codes.Unimplemented {
		return nil, status.Errorf(codes.Unimplemented, "the driver at %s does not serve DriverGetInfo of its dialect: %s",
			b.options.Driver, status.Convert(err).Message())
	}
	return info, err
}
