// Package driver is a minimal COSI driver, an example of testing a driver with cosi-emu.
// Its buckets and accounts are in memory, and applications cannot use them.
package driver

import (
	"context"
	"sync"

	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Name is the driver's name, as BucketClasses have it.
const Name = "memory.example.com"

// Driver keeps everything in memory. Create one with New.
type Driver struct {
	cosiv1alpha2.UnimplementedIdentityServer
	cosiv1alpha2.UnimplementedProvisionerServer

	mu       sync.Mutex
	buckets  map[string]bool
	accounts map[string]bool
}

// New returns a driver without buckets.
func New() *Driver {
	return &Driver{buckets: map[string]bool{}, accounts: map[string]bool{}}
}

// DriverGetInfo returns the name and the protocols of the driver.
func (d *Driver) DriverGetInfo(context.Context, *cosiv1alpha2.DriverGetInfoRequest) (*cosiv1alpha2.DriverGetInfoResponse, error) {
	return &cosiv1alpha2.DriverGetInfoResponse{
		Name:               Name,
		SupportedProtocols: []*cosiv1alpha2.ObjectProtocol{{Type: cosiv1alpha2.ObjectProtocol_S3}},
	}, nil
}

// DriverGenerateBucketId returns the ID of a bucket. It creates nothing, and the same
// name gives the same ID.
//
//nolint:revive // the name is the protocol's
func (d *Driver) DriverGenerateBucketId(
	_ context.Context, r *cosiv1alpha2.DriverGenerateBucketIdRequest,
) (*cosiv1alpha2.DriverGenerateBucketIdResponse, error) {
	if r.GetName() == "" {
		return nil, status.Error(codes.InvalidArgument, "a bucket requires a name")
	}
	return &cosiv1alpha2.DriverGenerateBucketIdResponse{BucketId: r.GetName()}, nil
}

// DriverCreateBucket creates a bucket, unless it already exists.
func (d *Driver) DriverCreateBucket(
	_ context.Context, r *cosiv1alpha2.DriverCreateBucketRequest,
) (*cosiv1alpha2.DriverCreateBucketResponse, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.buckets[r.GetBucketId()] = true
	return &cosiv1alpha2.DriverCreateBucketResponse{Protocols: info(r.GetBucketId())}, nil
}

// DriverGetBucket looks up a bucket that was created outside of COSI.
func (d *Driver) DriverGetBucket(_ context.Context, r *cosiv1alpha2.DriverGetBucketRequest) (*cosiv1alpha2.DriverGetBucketResponse, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.buckets[r.GetBucketId()] {
		return nil, status.Errorf(codes.NotFound, "bucket %q not found", r.GetBucketId())
	}
	return &cosiv1alpha2.DriverGetBucketResponse{Protocols: info(r.GetBucketId())}, nil
}

// DriverDeleteBucket deletes a bucket. It succeeds if the bucket does not exist.
func (d *Driver) DriverDeleteBucket(
	_ context.Context, r *cosiv1alpha2.DriverDeleteBucketRequest,
) (*cosiv1alpha2.DriverDeleteBucketResponse, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.buckets, r.GetBucketId())
	return &cosiv1alpha2.DriverDeleteBucketResponse{}, nil
}

// DriverGenerateBucketAccessId returns the ID of an account, as DriverGenerateBucketId
// does for a bucket.
//
//nolint:revive // the name is the protocol's
func (d *Driver) DriverGenerateBucketAccessId(
	_ context.Context, r *cosiv1alpha2.DriverGenerateBucketAccessIdRequest,
) (*cosiv1alpha2.DriverGenerateBucketAccessIdResponse, error) {
	return &cosiv1alpha2.DriverGenerateBucketAccessIdResponse{AccountId: r.GetAccountName()}, nil
}

// DriverGrantBucketAccess creates an account, unless it already exists. The key follows
// from the ID, so every call returns the same key.
func (d *Driver) DriverGrantBucketAccess(
	_ context.Context, r *cosiv1alpha2.DriverGrantBucketAccessRequest,
) (*cosiv1alpha2.DriverGrantBucketAccessResponse, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	response := &cosiv1alpha2.DriverGrantBucketAccessResponse{Credentials: &cosiv1alpha2.CredentialInfo{
		S3: &cosiv1alpha2.S3CredentialInfo{AccessKeyId: r.GetAccountId(), AccessSecretKey: "secret of " + r.GetAccountId()},
	}}
	for _, bucket := range r.GetBuckets() {
		if !d.buckets[bucket.GetBucketId()] {
			return nil, status.Errorf(codes.NotFound, "bucket %q not found", bucket.GetBucketId())
		}
		response.Buckets = append(response.Buckets, &cosiv1alpha2.DriverGrantBucketAccessResponse_BucketInfo{
			BucketId: bucket.GetBucketId(), BucketInfo: info(bucket.GetBucketId()),
		})
	}
	d.accounts[r.GetAccountId()] = true
	return response, nil
}

// DriverRevokeBucketAccess deletes an account. It succeeds if the account does not exist.
func (d *Driver) DriverRevokeBucketAccess(
	_ context.Context, r *cosiv1alpha2.DriverRevokeBucketAccessRequest,
) (*cosiv1alpha2.DriverRevokeBucketAccessResponse, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.accounts, r.GetAccountId())
	return &cosiv1alpha2.DriverRevokeBucketAccessResponse{}, nil
}

// Leftovers returns how many buckets and accounts exist.
func (d *Driver) Leftovers() (buckets, accounts int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.buckets), len(d.accounts)
}

// info has what applications need to reach a bucket.
func info(id string) *cosiv1alpha2.ObjectProtocolAndBucketInfo {
	return &cosiv1alpha2.ObjectProtocolAndBucketInfo{S3: &cosiv1alpha2.S3BucketInfo{
		BucketId: id, Endpoint: "https://s3.example.com", Region: "us-east-1",
		AddressingStyle: &cosiv1alpha2.S3AddressingStyle{Style: cosiv1alpha2.S3AddressingStyle_PATH},
	}}
}
