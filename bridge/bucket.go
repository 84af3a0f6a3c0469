package bridge

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

// DriverGenerateBucketId implements cosiv1alpha2.ProvisionerServer. The ID is the name, unless
// the driver chooses it now.
func (b *Bridge) DriverGenerateBucketId( //nolint:revive // the name is generated
	ctx context.Context, request *cosiv1alpha2.DriverGenerateBucketIdRequest,
) (*cosiv1alpha2.DriverGenerateBucketIdResponse, error) {
	d, err := b.driverForNew(ctx, request.GetName(), request.GetProtocols())
	if err != nil {
		return nil, err
	}
	id, err := d.generateBucketID(ctx, request)
	if err != nil {
		return nil, err
	}
	return &cosiv1alpha2.DriverGenerateBucketIdResponse{BucketId: id}, nil
}

// DriverCreateBucket implements cosiv1alpha2.ProvisionerServer.
func (b *Bridge) DriverCreateBucket(
	ctx context.Context, request *cosiv1alpha2.DriverCreateBucketRequest,
) (*cosiv1alpha2.DriverCreateBucketResponse, error) {
	d, err := b.driverForNew(ctx, request.GetBucketId(), request.GetProtocols())
	if err != nil {
		return nil, err
	}
	done, err := b.turns.take(ctx, request.GetBucketId())
	if err != nil {
		return nil, err
	}
	defer done()
	info, err := b.create(ctx, d, request)
	if err != nil {
		return nil, err
	}
	return &cosiv1alpha2.DriverCreateBucketResponse{Protocols: info}, nil
}

// create has the driver create a bucket, and stores its ID.
func (b *Bridge) create(ctx context.Context, d driver, request *cosiv1alpha2.DriverCreateBucketRequest) (info *bucketInfo, err error) {
	name := request.GetBucketId()
	err = b.buckets.learn(ctx, name, d.choosesBucketIDs(), request, func(known string) (string, error) {
		id, created, err := d.createBucket(ctx, request, known)
		if err != nil {
			return "", err
		}
		if id == "" {
			return "", status.Errorf(codes.Internal, "the driver has created bucket %s and returned no bucket_id", name)
		}
		info = created
		return id, nil
	})
	return info, err
}

// DriverGetBucket implements cosiv1alpha2.ProvisionerServer.
func (b *Bridge) DriverGetBucket(
	ctx context.Context, request *cosiv1alpha2.DriverGetBucketRequest,
) (*cosiv1alpha2.DriverGetBucketResponse, error) {
	bucket := request.GetBucketId()
	d, err := b.driverFor(ctx, bucket, request.GetProtocols())
	if err != nil {
		return nil, err
	}
	_, name, err := existing(bucket)
	if err != nil {
		return nil, err
	}
	done, err := b.turns.take(ctx, bucket)
	if err != nil {
		return nil, err
	}
	defer done()
	var info *bucketInfo
	err = b.buckets.find(ctx, bucket, func(own string) (id string, err error) {
		id, info, err = d.getBucket(ctx, request, own)
		if status.Code(err) == codes.Unimplemented {
			id = own
			info, err = b.assume(ctx, d, name, request.GetProtocols(), err)
		}
		return id, err
	})
	if err != nil {
		return nil, err
	}
	return &cosiv1alpha2.DriverGetBucketResponse{Protocols: info}, nil
}

// assume returns the info of a bucket that the driver cannot look up, if that is allowed.
func (b *Bridge) assume(
	ctx context.Context, d driver, name string, protocols []*cosiv1alpha2.ObjectProtocol, reason error,
) (*bucketInfo, error) {
	if !b.options.AssumeExisting {
		return nil, status.Errorf(codes.Unimplemented, "bucket %s: the driver cannot look up a bucket that COSI did not create: %s; "+
			"start the bridge with --assume-existing to use such buckets without a check", name, status.Convert(reason).Message())
	}
	if len(protocols) == 0 {
		served, err := d.getInfo(ctx)
		if err != nil {
			return nil, err
		}
		protocols = served.GetSupportedProtocols()
	}
	return infoOf(name, typesOf(protocols)), nil
}

// DriverDeleteBucket implements cosiv1alpha2.ProvisionerServer.
func (b *Bridge) DriverDeleteBucket(
	ctx context.Context, request *cosiv1alpha2.DriverDeleteBucketRequest,
) (*cosiv1alpha2.DriverDeleteBucketResponse, error) {
	name := request.GetBucketId()
	if name == "" {
		return nil, missing("bucket_id")
	}
	d, err := b.driver(ctx)
	if err != nil {
		return nil, err
	}
	done, err := b.turns.take(ctx, name)
	if err != nil {
		return nil, err
	}
	defer done()
	ids, err := b.bucketIDs(ctx, d, request)
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		if err := d.deleteBucket(ctx, request, id); err != nil {
			return nil, err
		}
	}
	if err := b.buckets.forget(ctx, name); err != nil {
		return nil, err
	}
	return &cosiv1alpha2.DriverDeleteBucketResponse{}, nil
}

// bucketIDs returns the IDs of a bucket that is to be deleted. If the driver's answer
// has been lost, it is asked once more: creating a bucket that exists returns its ID.
func (b *Bridge) bucketIDs(ctx context.Context, d driver, request *cosiv1alpha2.DriverDeleteBucketRequest) ([]string, error) {
	name := request.GetBucketId()
	ids, err := b.buckets.all(ctx, name)
	if err != nil || len(ids) > 0 {
		return ids, err
	}
	again := &cosiv1alpha2.DriverCreateBucketRequest{BucketId: name, Parameters: request.GetParameters()}
	if err := b.buckets.lost(ctx, name, again); err != nil {
		return nil, err
	}
	if _, err := b.create(ctx, d, again); err != nil {
		if createsNothing(status.Code(err)) {
			return nil, nil
		}
		return nil, err
	}
	return b.buckets.all(ctx, name)
}

// driverForNew is driverFor for a new bucket, whose name must not be read as the ID of an
// existing one.
func (b *Bridge) driverForNew(ctx context.Context, name string, protocols []*cosiv1alpha2.ObjectProtocol) (driver, error) {
	if strings.HasPrefix(name, existingPrefix) {
		return nil, status.Errorf(codes.InvalidArgument, "bucket %s: names with %q are for buckets that exist already", name, existingPrefix)
	}
	return b.driverFor(ctx, name, protocols)
}

// driverFor validates the name and the protocols of a bucket, and returns the driver.
func (b *Bridge) driverFor(ctx context.Context, name string, protocols []*cosiv1alpha2.ObjectProtocol) (driver, error) {
	if name == "" {
		return nil, missing("the name or ID of the bucket")
	}
	d, err := b.driver(ctx)
	if err != nil {
		return nil, err
	}
	return d, d.checkBucket(protocols)
}

// maxID is how long an ID of v1alpha2 is at most.
const maxID = 2048

// validID is what v1alpha2 allows as an ID.
var validID = regexp.MustCompile(`^[a-zA-Z0-9._/-]+$`)

// checkID rejects a name that cannot be an ID in v1alpha2, or that a driver might take for a
// path. The names of COSI can be IDs.
func checkID(name string) error {
	leads := func(part string) bool { return part == "" || part == "." || part == ".." }
	if len(name) > maxID || !validID.MatchString(name) || slices.ContainsFunc(strings.Split(name, "/"), leads) {
		return status.Errorf(codes.InvalidArgument, "name %q cannot be an ID: it must have at most %d letters, digits, '-', '.', '_' and '/', "+
			"and no element '', '.' or '..'", name[:min(len(name), 80)], maxID)
	}
	return nil
}

func missing(field string) error {
	return status.Errorf(codes.InvalidArgument, "the request lacks %s", field)
}
