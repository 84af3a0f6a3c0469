package dialectdriver

import (
	"context"
	"fmt"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
)

// oneCall is the Provisioner of the dialects without calls that generate IDs.
type oneCall struct {
	dialects.UnimplementedOneCallServer
	*Driver
}

var _ dialects.OneCallServer = &oneCall{}

// DriverCreateBucket implements dialects.OneCallServer.
func (s *oneCall) DriverCreateBucket(
	_ context.Context, request *cosiv1alpha2.DriverCreateBucketRequest,
) (*dialects.BucketResponse, error) {
	id, err := s.create(request, s.IDOf(request.GetBucketId()))
	if err != nil {
		return nil, err
	}
	return &dialects.BucketResponse{BucketId: id, Protocols: s3Info(id)}, nil
}

// DriverGetExistingBucket implements dialects.OneCallServer.
func (s *oneCall) DriverGetExistingBucket(
	ctx context.Context, request *cosiv1alpha2.DriverGetBucketRequest,
) (*dialects.BucketResponse, error) {
	if s.Dialect == dialects.OneModeGet {
		return s.UnimplementedOneCallServer.DriverGetExistingBucket(ctx, request)
	}
	return s.getBucket(ctx, request)
}

// DriverGetBucket implements dialects.OneCallServer.
func (s *oneCall) DriverGetBucket(ctx context.Context, request *cosiv1alpha2.DriverGetBucketRequest) (*dialects.BucketResponse, error) {
	if s.Dialect != dialects.OneModeGet {
		return s.UnimplementedOneCallServer.DriverGetBucket(ctx, request)
	}
	return s.getBucket(ctx, request)
}

func (s *oneCall) getBucket(ctx context.Context, request *cosiv1alpha2.DriverGetBucketRequest) (*dialects.BucketResponse, error) {
	if s.NoGet {
		return s.UnimplementedOneCallServer.DriverGetExistingBucket(ctx, request)
	}
	if err := s.get(request); err != nil {
		return nil, err
	}
	id := s.IDOf(request.GetBucketId())
	s.AddBucket(id)
	return &dialects.BucketResponse{BucketId: id, Protocols: s3Info(id)}, nil
}

// DriverGrantBucketAccess implements dialects.OneCallServer.
func (s *oneCall) DriverGrantBucketAccess(
	_ context.Context, request *dialects.GrantBucketAccessRequest,
) (*dialects.GrantBucketAccessResponse, error) {
	modes := map[string]string{}
	for _, bucket := range request.GetBuckets() {
		if bucket.GetAccessMode() == nil {
			return nil, status.Error(codes.InvalidArgument, "no access mode")
		}
		modes[bucket.GetBucketId()] = bucket.GetAccessMode().GetMode().String()
	}
	account, err := s.grant(request, request.GetAccountName(), s.IDOf(request.GetAccountName()), modes)
	if err != nil {
		return nil, err
	}
	return &dialects.GrantBucketAccessResponse{AccountId: account, Buckets: infosOf(modes), Credentials: credentialsOf(account)}, nil
}

// DriverDeleteBucket implements dialects.OneCallServer.
func (s *oneCall) DriverDeleteBucket(
	ctx context.Context, request *cosiv1alpha2.DriverDeleteBucketRequest,
) (*cosiv1alpha2.DriverDeleteBucketResponse, error) {
	return s.Driver.DriverDeleteBucket(ctx, request)
}

// DriverRevokeBucketAccess implements dialects.OneCallServer.
func (s *oneCall) DriverRevokeBucketAccess(
	ctx context.Context, request *cosiv1alpha2.DriverRevokeBucketAccessRequest,
) (*cosiv1alpha2.DriverRevokeBucketAccessResponse, error) {
	return s.Driver.DriverRevokeBucketAccess(ctx, request)
}

// bucketIDs is the Provisioner of the dialect that generates IDs of buckets only.
type bucketIDs struct {
	dialects.UnimplementedBucketIDsServer
	*Driver
}

var _ dialects.BucketIDsServer = &bucketIDs{}

// DriverGenerateBucketId implements dialects.BucketIDsServer.
func (s *bucketIDs) DriverGenerateBucketId( //nolint:revive // the name is generated
	_ context.Context, request *cosiv1alpha2.DriverGenerateBucketIdRequest,
) (*cosiv1alpha2.DriverGenerateBucketIdResponse, error) {
	if request.GetName() == "" {
		return nil, status.Error(codes.InvalidArgument, "no name")
	}
	return &cosiv1alpha2.DriverGenerateBucketIdResponse{BucketId: s.IDOf(request.GetName())}, nil
}

// DriverCreateBucket implements dialects.BucketIDsServer.
func (s *bucketIDs) DriverCreateBucket(
	_ context.Context, request *cosiv1alpha2.DriverCreateBucketRequest,
) (*dialects.BucketResponse, error) {
	id, err := s.create(request, request.GetBucketId())
	if err != nil {
		return nil, err
	}
	return &dialects.BucketResponse{Protocols: s3Info(id)}, nil
}

// DriverGetBucket implements dialects.BucketIDsServer.
func (s *bucketIDs) DriverGetBucket(ctx context.Context, request *cosiv1alpha2.DriverGetBucketRequest) (*dialects.BucketResponse, error) {
	if s.NoGet {
		return s.UnimplementedBucketIDsServer.DriverGetBucket(ctx, request)
	}
	if err := s.get(request); err != nil {
		return nil, err
	}
	return &dialects.BucketResponse{Protocols: s3Info(request.GetBucketId())}, nil
}

// DriverGrantBucketAccess implements dialects.BucketIDsServer.
func (s *bucketIDs) DriverGrantBucketAccess(
	_ context.Context, request *cosiv1alpha2.DriverGrantBucketAccessRequest,
) (*dialects.GrantBucketAccessResponse, error) {
	modes := modesOf(request)
	account, err := s.grant(request, request.GetAccountId(), s.IDOf(request.GetAccountId()), modes)
	if err != nil {
		return nil, err
	}
	return &dialects.GrantBucketAccessResponse{AccountId: account, Buckets: infosOf(modes), Credentials: credentialsOf(account)}, nil
}

// DriverDeleteBucket implements dialects.BucketIDsServer.
func (s *bucketIDs) DriverDeleteBucket(
	ctx context.Context, request *cosiv1alpha2.DriverDeleteBucketRequest,
) (*cosiv1alpha2.DriverDeleteBucketResponse, error) {
	return s.Driver.DriverDeleteBucket(ctx, request)
}

// DriverRevokeBucketAccess implements dialects.BucketIDsServer.
func (s *bucketIDs) DriverRevokeBucketAccess(
	ctx context.Context, request *cosiv1alpha2.DriverRevokeBucketAccessRequest,
) (*cosiv1alpha2.DriverRevokeBucketAccessResponse, error) {
	return s.Driver.DriverRevokeBucketAccess(ctx, request)
}

// modesOf returns the three modes of each bucket, in the order of their numbers.
func modesOf(request *cosiv1alpha2.DriverGrantBucketAccessRequest) map[string]string {
	modes := map[string]string{}
	for _, bucket := range request.GetBuckets() {
		modes[bucket.GetBucketId()] = fmt.Sprintf("%s %s %s", bucket.GetObjectDataAccessMode().GetMode(),
			bucket.GetObjectMetadataAccessMode().GetMode(), bucket.GetBucketMetadataAccessMode().GetMode())
	}
	return modes
}

// kep is the Provisioner of the KEP.
type kep struct {
	cosiv1alpha2.UnimplementedProvisionerServer
	*Driver
}

var _ cosiv1alpha2.ProvisionerServer = &kep{}

// DriverGenerateBucketId implements cosiv1alpha2.ProvisionerServer.
func (s *kep) DriverGenerateBucketId( //nolint:revive // the name is generated
	ctx context.Context, request *cosiv1alpha2.DriverGenerateBucketIdRequest,
) (*cosiv1alpha2.DriverGenerateBucketIdResponse, error) {
	return (&bucketIDs{Driver: s.Driver}).DriverGenerateBucketId(ctx, request)
}

// DriverCreateBucket implements cosiv1alpha2.ProvisionerServer.
func (s *kep) DriverCreateBucket(
	_ context.Context, request *cosiv1alpha2.DriverCreateBucketRequest,
) (*cosiv1alpha2.DriverCreateBucketResponse, error) {
	id, err := s.create(request, request.GetBucketId())
	if err != nil {
		return nil, err
	}
	return &cosiv1alpha2.DriverCreateBucketResponse{Protocols: s3Info(id)}, nil
}

// DriverGetBucket implements cosiv1alpha2.ProvisionerServer.
func (s *kep) DriverGetBucket(
	_ context.Context, request *cosiv1alpha2.DriverGetBucketRequest,
) (*cosiv1alpha2.DriverGetBucketResponse, error) {
	if err := s.get(request); err != nil {
		return nil, err
	}
	return &cosiv1alpha2.DriverGetBucketResponse{Protocols: s3Info(request.GetBucketId())}, nil
}

// DriverGenerateBucketAccessId implements cosiv1alpha2.ProvisionerServer.
func (s *kep) DriverGenerateBucketAccessId( //nolint:revive // the name is generated
	_ context.Context, request *cosiv1alpha2.DriverGenerateBucketAccessIdRequest,
) (*cosiv1alpha2.DriverGenerateBucketAccessIdResponse, error) {
	if request.GetAccountName() == "" {
		return nil, status.Error(codes.InvalidArgument, "no name")
	}
	return &cosiv1alpha2.DriverGenerateBucketAccessIdResponse{AccountId: s.IDOf(request.GetAccountName())}, nil
}

// DriverGrantBucketAccess implements cosiv1alpha2.ProvisionerServer.
func (s *kep) DriverGrantBucketAccess(
	_ context.Context, request *cosiv1alpha2.DriverGrantBucketAccessRequest,
) (*cosiv1alpha2.DriverGrantBucketAccessResponse, error) {
	modes := modesOf(request)
	account, err := s.grant(request, request.GetAccountId(), request.GetAccountId(), modes)
	if err != nil {
		return nil, err
	}
	return &cosiv1alpha2.DriverGrantBucketAccessResponse{Buckets: infosOf(modes), Credentials: credentialsOf(account)}, nil
}

// DriverDeleteBucket implements cosiv1alpha2.ProvisionerServer.
func (s *kep) DriverDeleteBucket(
	ctx context.Context, request *cosiv1alpha2.DriverDeleteBucketRequest,
) (*cosiv1alpha2.DriverDeleteBucketResponse, error) {
	return s.Driver.DriverDeleteBucket(ctx, request)
}

// DriverRevokeBucketAccess implements cosiv1alpha2.ProvisionerServer.
func (s *kep) DriverRevokeBucketAccess(
	ctx context.Context, request *cosiv1alpha2.DriverRevokeBucketAccessRequest,
) (*cosiv1alpha2.DriverRevokeBucketAccessResponse, error) {
	return s.Driver.DriverRevokeBucketAccess(ctx, request)
}
