// Package driver is a COSI driver as small as one can be, to show how a driver is
// tested with cosi-emu. Its buckets and accounts are in memory, and no application
// can use them.
package driver

import (
	"context"
	"sync"

	cosi "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Name is the driver's name, as BucketClasses have it.
const Name = "memory.example.com"

// Driver keeps everything in memory. Create one with New.
type Driver struct {
	cosi.UnimplementedIdentityServer
	cosi.UnimplementedProvisionerServer

	mu       sync.Mutex
	buckets  map[string]bool
	accounts map[string]bool
}

// New returns a driver without buckets.
func New() *Driver {
	return &Driver{buckets: map[string]bool{}, accounts: map[string]bool{}}
}

// DriverGetInfo says who the driver is.
func (d *Driver) DriverGetInfo(context.Context, *cosi.DriverGetInfoRequest) (*cosi.DriverGetInfoResponse, error) {
	return &cosi.DriverGetInfoResponse{
		Name:               Name,
		SupportedProtocols: []*cosi.ObjectProtocol{{Type: cosi.ObjectProtocol_S3}},
	}, nil
}

// DriverGenerateBucketId names a bucket. It makes nothing, and the same name gives
// the same ID.
//
//nolint:revive // the name is the protocol's
func (d *Driver) DriverGenerateBucketId(
	_ context.Context, r *cosi.DriverGenerateBucketIdRequest,
) (*cosi.DriverGenerateBucketIdResponse, error) {
	if r.GetName() == "" {
		return nil, status.Error(codes.InvalidArgument, "a bucket needs a name")
	}
	return &cosi.DriverGenerateBucketIdResponse{BucketId: r.GetName()}, nil
}

// DriverCreateBucket makes a bucket, unless it is there already.
func (d *Driver) DriverCreateBucket(
	_ context.Context, r *cosi.DriverCreateBucketRequest,
) (*cosi.DriverCreateBucketResponse, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.buckets[r.GetBucketId()] = true
	return &cosi.DriverCreateBucketResponse{Protocols: info(r.GetBucketId())}, nil
}

// DriverGetBucket finds a bucket that somebody else has made.
func (d *Driver) DriverGetBucket(_ context.Context, r *cosi.DriverGetBucketRequest) (*cosi.DriverGetBucketResponse, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.buckets[r.GetBucketId()] {
		return nil, status.Errorf(codes.NotFound, "there is no bucket %q", r.GetBucketId())
	}
	return &cosi.DriverGetBucketResponse{Protocols: info(r.GetBucketId())}, nil
}

// DriverDeleteBucket deletes a bucket. That it is gone already is no error.
func (d *Driver) DriverDeleteBucket(
	_ context.Context, r *cosi.DriverDeleteBucketRequest,
) (*cosi.DriverDeleteBucketResponse, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.buckets, r.GetBucketId())
	return &cosi.DriverDeleteBucketResponse{}, nil
}

// DriverGenerateBucketAccessId names an account, as DriverGenerateBucketId does a
// bucket.
//
//nolint:revive // the name is the protocol's
func (d *Driver) DriverGenerateBucketAccessId(
	_ context.Context, r *cosi.DriverGenerateBucketAccessIdRequest,
) (*cosi.DriverGenerateBucketAccessIdResponse, error) {
	return &cosi.DriverGenerateBucketAccessIdResponse{AccountId: r.GetAccountName()}, nil
}

// DriverGrantBucketAccess makes an account, unless it is there already. The key
// follows from its ID, so that it is the same each time.
func (d *Driver) DriverGrantBucketAccess(
	_ context.Context, r *cosi.DriverGrantBucketAccessRequest,
) (*cosi.DriverGrantBucketAccessResponse, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	response := &cosi.DriverGrantBucketAccessResponse{Credentials: &cosi.CredentialInfo{
		S3: &cosi.S3CredentialInfo{AccessKeyId: r.GetAccountId(), AccessSecretKey: "secret of " + r.GetAccountId()},
	}}
	for _, bucket := range r.GetBuckets() {
		if !d.buckets[bucket.GetBucketId()] {
			return nil, status.Errorf(codes.NotFound, "there is no bucket %q", bucket.GetBucketId())
		}
		response.Buckets = append(response.Buckets, &cosi.DriverGrantBucketAccessResponse_BucketInfo{
			BucketId: bucket.GetBucketId(), BucketInfo: info(bucket.GetBucketId()),
		})
	}
	d.accounts[r.GetAccountId()] = true
	return response, nil
}

// DriverRevokeBucketAccess deletes an account. That it is gone already is no error.
func (d *Driver) DriverRevokeBucketAccess(
	_ context.Context, r *cosi.DriverRevokeBucketAccessRequest,
) (*cosi.DriverRevokeBucketAccessResponse, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.accounts, r.GetAccountId())
	return &cosi.DriverRevokeBucketAccessResponse{}, nil
}

// Left returns how many buckets and accounts there are.
func (d *Driver) Left() (buckets, accounts int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.buckets), len(d.accounts)
}

// info is what applications need to know of a bucket.
func info(id string) *cosi.ObjectProtocolAndBucketInfo {
	return &cosi.ObjectProtocolAndBucketInfo{S3: &cosi.S3BucketInfo{
		BucketId: id, Endpoint: "https://s3.example.com", Region: "us-east-1",
		AddressingStyle: &cosi.S3AddressingStyle{Style: cosi.S3AddressingStyle_PATH},
	}}
}
