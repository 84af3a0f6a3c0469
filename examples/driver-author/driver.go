// Package driver is a minimal COSI driver, an example of testing a driver with cosi-emu.
// Its buckets and accounts are in memory, and applications cannot use them.
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

// DriverGetInfo returns the name and the protocols of the driver.
func (d *Driver) DriverGetInfo(context.Context, *cosi.DriverGetInfoRequest) (*cosi.DriverGetInfoResponse, error) {
	return &cosi.DriverGetInfoResponse{
		Name:               Name,
		SupportedProtocols: []*cosi.ObjectProtocol{{Type: cosi.ObjectProtocol_S3}},
	}, nil
}

// DriverGenerateBucketId returns the ID of a bucket. It creates nothing, and the same
// name gives the same ID.
//
//nolint:revive // the name is the protocol's
func (d *Driver) DriverGenerateBucketId(
	_ context.Context, r *cosi.DriverGenerateBucketIdRequest,
) (*cosi.DriverGenerateBucketIdResponse, error) {
	if r.GetName() == "" {
		return nil, status.Error(codes.InvalidArgument, "a bucket requires a name")
	}
	return &cosi.DriverGenerateBucketIdResponse{BucketId: r.GetName()}, nil
}

// DriverCreateBucket creates a bucket, unless it already exists.
func (d *Driver) DriverCreateBucket(
	_ context.Context, r *cosi.DriverCreateBucketRequest,
) (*cosi.DriverCreateBucketResponse, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.buckets[r.GetBucketId()] = true
	return &cosi.DriverCreateBucketResponse{Protocols: info(r.GetBucketId())}, nil
}

// DriverGetBucket looks up a bucket that was created outside of COSI.
func (d *Driver) DriverGetBucket(_ context.Context, r *cosi.DriverGetBucketRequest) (*cosi.DriverGetBucketResponse, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.buckets[r.GetBucketId()] {
		return nil, status.Errorf(codes.NotFound, "bucket %q not found", r.GetBucketId())
	}
	return &cosi.DriverGetBucketResponse{Protocols: info(r.GetBucketId())}, nil
}

// DriverDeleteBucket deletes a bucket. It succeeds if the bucket does not exist.
func (d *Driver) DriverDeleteBucket(
	_ context.Context, r *cosi.DriverDeleteBucketRequest,
) (*cosi.DriverDeleteBucketResponse, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.buckets, r.GetBucketId())
	return &cosi.DriverDeleteBucketResponse{}, nil
}

// DriverGenerateBucketAccessId returns the ID of an account, as DriverGenerateBucketId
// does for a bucket.
//
//nolint:revive // the name is the protocol's
func (d *Driver) DriverGenerateBucketAccessId(
	_ context.Context, r *cosi.DriverGenerateBucketAccessIdRequest,
) (*cosi.DriverGenerateBucketAccessIdResponse, error) {
	return &cosi.DriverGenerateBucketAccessIdResponse{AccountId: r.GetAccountName()}, nil
}

// DriverGrantBucketAccess creates an account, unless it already exists. The key follows
// from the ID, so every call returns the same key.
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
			return nil, status.Errorf(codes.NotFound, "bucket %q not found", bucket.GetBucketId())
		}
		response.Buckets = append(response.Buckets, &cosi.DriverGrantBucketAccessResponse_BucketInfo{
			BucketId: bucket.GetBucketId(), BucketInfo: info(bucket.GetBucketId()),
		})
	}
	d.accounts[r.GetAccountId()] = true
	return response, nil
}

// DriverRevokeBucketAccess deletes an account. It succeeds if the account does not exist.
func (d *Driver) DriverRevokeBucketAccess(
	_ context.Context, r *cosi.DriverRevokeBucketAccessRequest,
) (*cosi.DriverRevokeBucketAccessResponse, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.accounts, r.GetAccountId())
	return &cosi.DriverRevokeBucketAccessResponse{}, nil
}

// Leftovers returns how many buckets and accounts exist.
func (d *Driver) Leftovers() (buckets, accounts int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.buckets), len(d.accounts)
}

// info has what applications need to reach a bucket.
func info(id string) *cosi.ObjectProtocolAndBucketInfo {
	return &cosi.ObjectProtocolAndBucketInfo{S3: &cosi.S3BucketInfo{
		BucketId: id, Endpoint: "https://s3.example.com", Region: "us-east-1",
		AddressingStyle: &cosi.S3AddressingStyle{Style: cosi.S3AddressingStyle_PATH},
	}}
}
