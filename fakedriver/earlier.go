package fakedriver

import (
	"context"

	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
)

// oneCall serves the dialects of v1alpha2 in which the calls that create a bucket and an account
// return their IDs. It translates each request into the KEP's.
type oneCall struct {
	dialects.UnimplementedOneCallServer

	driver *Driver
}

var _ dialects.OneCallServer = &oneCall{}

// DriverCreateBucket has the name of the bucket in the request, in place of its ID. The ID is the
// name wherever S3 allows that.
func (s *oneCall) DriverCreateBucket(ctx context.Context, r *cosiv1alpha2.DriverCreateBucketRequest) (*dialects.BucketResponse, error) {
	if err := checkName("name", r.GetBucketId()); err != nil {
		return nil, err
	}
	id := bucketID(r.GetBucketId())
	created, err := s.driver.DriverCreateBucket(ctx, &cosiv1alpha2.DriverCreateBucketRequest{
		BucketId: id, Protocols: r.GetProtocols(), Parameters: r.GetParameters(),
	})
	if err != nil {
		return nil, err
	}
	return &dialects.BucketResponse{BucketId: id, Protocols: created.GetProtocols()}, nil
}

func (s *oneCall) DriverGetExistingBucket(ctx context.Context, r *cosiv1alpha2.DriverGetBucketRequest) (*dialects.BucketResponse, error) {
	return s.DriverGetBucket(ctx, r)
}

func (s *oneCall) DriverGetBucket(ctx context.Context, r *cosiv1alpha2.DriverGetBucketRequest) (*dialects.BucketResponse, error) {
	found, err := s.driver.DriverGetBucket(ctx, r)
	if err != nil {
		return nil, err
	}
	return &dialects.BucketResponse{BucketId: r.GetBucketId(), Protocols: found.GetProtocols()}, nil
}

func (s *oneCall) DriverDeleteBucket(
	ctx context.Context, r *cosiv1alpha2.DriverDeleteBucketRequest,
) (*cosiv1alpha2.DriverDeleteBucketResponse, error) {
	return s.driver.DriverDeleteBucket(ctx, r)
}

// DriverGrantBucketAccess applies one mode to all categories.
func (s *oneCall) DriverGrantBucketAccess(
	ctx context.Context, r *dialects.GrantBucketAccessRequest,
) (*dialects.GrantBucketAccessResponse, error) {
	request := &cosiv1alpha2.DriverGrantBucketAccessRequest{
		AccountId: r.GetAccountName(), Protocol: r.GetProtocol(), AuthenticationType: r.GetAuthenticationType(),
		ServiceAccountName: r.GetServiceAccountName(), Parameters: r.GetParameters(),
	}
	for _, bucket := range r.GetBuckets() {
		mode, err := s.mode(bucket)
		if err != nil {
			return nil, err
		}
		request.Buckets = append(request.Buckets, withMode(bucket.GetBucketId(), mode))
	}
	return s.driver.grantByName(ctx, request)
}

// mode translates the mode of a bucket. In the dialect without modes, every access is read-write.
func (s *oneCall) mode(bucket *dialects.GrantBucketAccessRequest_AccessedBucket) (cosiv1alpha2.AccessMode_Mode, error) {
	if s.driver.options.Dialect == dialects.NoModes {
		return cosiv1alpha2.AccessMode_READ_WRITE, nil
	}
	switch mode := bucket.GetAccessMode().GetMode(); mode {
	case dialects.AccessMode_READ_WRITE:
		return cosiv1alpha2.AccessMode_READ_WRITE, nil
	case dialects.AccessMode_READ_ONLY:
		return cosiv1alpha2.AccessMode_READ_ONLY, nil
	case dialects.AccessMode_WRITE_ONLY:
		return cosiv1alpha2.AccessMode_WRITE_ONLY, nil
	default:
		return 0, invalid("bucket %s: access_mode %s is not valid: READ_WRITE, READ_ONLY and WRITE_ONLY are",
			quote(bucket.GetBucketId()), mode)
	}
}

// withMode returns a bucket with one mode for all categories.
func withMode(bucket string, mode cosiv1alpha2.AccessMode_Mode) *cosiv1alpha2.DriverGrantBucketAccessRequest_AccessedBucket {
	all := &cosiv1alpha2.AccessMode{Mode: mode}
	return &cosiv1alpha2.DriverGrantBucketAccessRequest_AccessedBucket{
		BucketId: bucket, ObjectDataAccessMode: all, ObjectMetadataAccessMode: all, BucketMetadataAccessMode: all,
	}
}

// grantByName grants access to an account by the name in the request, which has no ID.
func (d *Driver) grantByName(
	ctx context.Context, r *cosiv1alpha2.DriverGrantBucketAccessRequest,
) (*dialects.GrantBucketAccessResponse, error) {
	if err := checkName("account_name", r.GetAccountId()); err != nil {
		return nil, err
	}
	r.AccountId = accountID(r.GetAccountId())
	granted, err := d.DriverGrantBucketAccess(ctx, r)
	if err != nil {
		return nil, err
	}
	return &dialects.GrantBucketAccessResponse{
		AccountId: r.GetAccountId(), Buckets: granted.GetBuckets(), Credentials: granted.GetCredentials(),
	}, nil
}

func (s *oneCall) DriverRevokeBucketAccess(
	ctx context.Context, r *cosiv1alpha2.DriverRevokeBucketAccessRequest,
) (*cosiv1alpha2.DriverRevokeBucketAccessResponse, error) {
	return s.driver.DriverRevokeBucketAccess(ctx, r)
}

// bucketIDs serves the dialect of v1alpha2 that generates the IDs of buckets, but not of accounts.
type bucketIDs struct {
	dialects.UnimplementedBucketIDsServer

	driver *Driver
}

var _ dialects.BucketIDsServer = &bucketIDs{}

// DriverGenerateBucketId implements dialects.BucketIDsServer.
//
//nolint:revive // the name is the protocol's
func (s *bucketIDs) DriverGenerateBucketId(
	ctx context.Context, r *cosiv1alpha2.DriverGenerateBucketIdRequest,
) (*cosiv1alpha2.DriverGenerateBucketIdResponse, error) {
	return s.driver.DriverGenerateBucketId(ctx, r)
}

func (s *bucketIDs) DriverCreateBucket(ctx context.Context, r *cosiv1alpha2.DriverCreateBucketRequest) (*dialects.BucketResponse, error) {
	created, err := s.driver.DriverCreateBucket(ctx, r)
	if err != nil {
		return nil, err
	}
	return &dialects.BucketResponse{Protocols: created.GetProtocols()}, nil
}

func (s *bucketIDs) DriverGetBucket(ctx context.Context, r *cosiv1alpha2.DriverGetBucketRequest) (*dialects.BucketResponse, error) {
	found, err := s.driver.DriverGetBucket(ctx, r)
	if err != nil {
		return nil, err
	}
	return &dialects.BucketResponse{Protocols: found.GetProtocols()}, nil
}

func (s *bucketIDs) DriverDeleteBucket(
	ctx context.Context, r *cosiv1alpha2.DriverDeleteBucketRequest,
) (*cosiv1alpha2.DriverDeleteBucketResponse, error) {
	return s.driver.DriverDeleteBucket(ctx, r)
}

func (s *bucketIDs) DriverGrantBucketAccess(
	ctx context.Context, r *cosiv1alpha2.DriverGrantBucketAccessRequest,
) (*dialects.GrantBucketAccessResponse, error) {
	return s.driver.grantByName(ctx, r)
}

func (s *bucketIDs) DriverRevokeBucketAccess(
	ctx context.Context, r *cosiv1alpha2.DriverRevokeBucketAccessRequest,
) (*cosiv1alpha2.DriverRevokeBucketAccessResponse, error) {
	return s.driver.DriverRevokeBucketAccess(ctx, r)
}
