package bridge

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	cosiv1alpha1 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha1"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

// DriverGenerateBucketId implements cosiv1alpha2.ProvisionerServer. The ID is the name.
func (b *Bridge) DriverGenerateBucketId( //nolint:revive // the name is generated
	_ context.Context, request *cosiv1alpha2.DriverGenerateBucketIdRequest,
) (*cosiv1alpha2.DriverGenerateBucketIdResponse, error) {
	if err := b.checkNew(request.GetName(), request.GetProtocols()); err != nil {
		return nil, err
	}
	if err := checkID(request.GetName()); err != nil {
		return nil, err
	}
	return &cosiv1alpha2.DriverGenerateBucketIdResponse{BucketId: request.GetName()}, nil
}

// DriverCreateBucket implements cosiv1alpha2.ProvisionerServer.
func (b *Bridge) DriverCreateBucket(
	ctx context.Context, request *cosiv1alpha2.DriverCreateBucketRequest,
) (*cosiv1alpha2.DriverCreateBucketResponse, error) {
	name := request.GetBucketId()
	if err := b.checkNew(name, request.GetProtocols()); err != nil {
		return nil, err
	}
	done, err := b.turns.take(ctx, name)
	if err != nil {
		return nil, err
	}
	defer done()
	info, err := b.create(ctx, name, request.GetParameters())
	if err != nil {
		return nil, err
	}
	return &cosiv1alpha2.DriverCreateBucketResponse{Protocols: b.bucketInfo(name, info, request.GetProtocols())}, nil
}

// create has the driver create a bucket, and stores its ID.
func (b *Bridge) create(ctx context.Context, name string, parameters map[string]string) (info *cosiv1alpha1.Protocol, err error) {
	if err := checkSizes(name, parameters); err != nil {
		return nil, err
	}
	err = b.buckets.learn(ctx, name, func() (string, error) {
		response, err := b.provisioner.DriverCreateBucket(ctx, &cosiv1alpha1.DriverCreateBucketRequest{Name: name, Parameters: parameters})
		if err != nil {
			return "", err
		}
		if response.GetBucketId() == "" {
			return "", status.Errorf(codes.Internal, "the driver has created bucket %s and returned no bucket_id", name)
		}
		info = response.GetBucketInfo()
		return response.GetBucketId(), nil
	})
	return info, err
}

// DriverGetBucket implements cosiv1alpha2.ProvisionerServer.
func (b *Bridge) DriverGetBucket(
	_ context.Context, request *cosiv1alpha2.DriverGetBucketRequest,
) (*cosiv1alpha2.DriverGetBucketResponse, error) {
	if err := b.checkBucket(request.GetBucketId(), request.GetProtocols()); err != nil {
		return nil, err
	}
	if !b.options.AssumeExisting {
		return nil, status.Errorf(codes.Unimplemented, "bucket %s: a driver of COSI v1alpha1 cannot look up a bucket that COSI did not create; "+
			"start the bridge with --assume-existing to use such buckets without a check", request.GetBucketId())
	}
	_, name, err := existing(request.GetBucketId())
	if err != nil {
		return nil, err
	}
	info := b.bucketInfo(name, nil, request.GetProtocols())
	return &cosiv1alpha2.DriverGetBucketResponse{Protocols: info}, nil
}

// DriverDeleteBucket implements cosiv1alpha2.ProvisionerServer.
func (b *Bridge) DriverDeleteBucket(
	ctx context.Context, request *cosiv1alpha2.DriverDeleteBucketRequest,
) (*cosiv1alpha2.DriverDeleteBucketResponse, error) {
	name := request.GetBucketId()
	if name == "" {
		return nil, missing("bucket_id")
	}
	done, err := b.turns.take(ctx, name)
	if err != nil {
		return nil, err
	}
	defer done()
	ids, err := b.bucketIDs(ctx, name, request.GetParameters())
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		_, err := b.provisioner.DriverDeleteBucket(ctx, &cosiv1alpha1.DriverDeleteBucketRequest{
			BucketId: id, DeleteContext: request.GetParameters(),
		})
		if err != nil && status.Code(err) != codes.NotFound {
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
func (b *Bridge) bucketIDs(ctx context.Context, name string, parameters map[string]string) ([]string, error) {
	ids, err := b.buckets.all(ctx, name)
	if err != nil || len(ids) > 0 {
		return ids, err
	}
	if _, err := b.create(ctx, name, parameters); err != nil {
		if createsNothing(status.Code(err)) {
			return nil, nil
		}
		return nil, err
	}
	return b.buckets.all(ctx, name)
}

// checkNew checks requests for a bucket that does not exist yet: its name must not be
// read as the ID of an existing one.
func (b *Bridge) checkNew(name string, protocols []*cosiv1alpha2.ObjectProtocol) error {
	if strings.HasPrefix(name, existingPrefix) {
		return status.Errorf(codes.InvalidArgument, "bucket %s: names with %q are for buckets that exist already", name, existingPrefix)
	}
	return b.checkBucket(name, protocols)
}

// checkBucket checks what requests about one bucket have in common.
func (b *Bridge) checkBucket(name string, protocols []*cosiv1alpha2.ObjectProtocol) error {
	if name == "" {
		return missing("the name or ID of the bucket")
	}
	for _, protocol := range protocols {
		if !slices.Contains(b.options.Protocols, protocol.GetType()) {
			return status.Errorf(codes.InvalidArgument, "protocol %s is not served: the bridge was started for %v",
				protocol.GetType(), b.options.Protocols)
		}
	}
	return nil
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
			"and no element '', '.' or '..'", name[:min(len(name), 80)], maxID) //nolint:mnd // enough to recognise it
	}
	return nil
}

// checkSizes rejects what is larger than v1alpha1 allows. IDs are the driver's own.
func checkSizes(name string, parameters map[string]string) error {
	if err := cosiv1alpha1.CheckSizes(&cosiv1alpha1.DriverCreateBucketRequest{Name: name, Parameters: parameters}); err != nil {
		return status.Errorf(codes.InvalidArgument, "COSI v1alpha1 does not allow the request: %v", err)
	}
	return nil
}

func missing(field string) error {
	return status.Errorf(codes.InvalidArgument, "the request lacks %s", field)
}
