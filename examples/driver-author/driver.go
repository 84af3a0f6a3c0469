// Package driver is a minimal COSI driver, an example of testing a driver with cosi-emu. It
// conforms to the profiles Core and Crash-Safety of cosi-emu conformance. It has no object
// storage, so applications cannot use its buckets.
package driver

import (
	"cmp"
	"context"
	"crypto/rand"
	"maps"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

// Name is the driver's name, as BucketClasses have it.
const Name = "memory.example.com"

// Driver keeps buckets and accounts. Create one with New or Open.
type Driver struct {
	cosiv1alpha2.UnimplementedIdentityServer
	cosiv1alpha2.UnimplementedProvisionerServer

	store *store
}

// New returns a driver without buckets, which keeps everything in memory.
func New() *Driver { return &Driver{store: &store{}} }

// Open returns a driver that keeps everything in a file.
func Open(file string) (*Driver, error) {
	s := &store{file: file}
	return &Driver{store: s}, s.load()
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
	if err := cmp.Or(checkName("the name", r.GetName()), checkProtocols(r.GetProtocols())); err != nil {
		return nil, err
	}
	return &cosiv1alpha2.DriverGenerateBucketIdResponse{BucketId: r.GetName()}, nil
}

// DriverCreateBucket creates a bucket. It returns OK if the same bucket exists, and
// AlreadyExists if another one does.
func (d *Driver) DriverCreateBucket(
	_ context.Context, r *cosiv1alpha2.DriverCreateBucketRequest,
) (*cosiv1alpha2.DriverCreateBucketResponse, error) {
	id := r.GetBucketId()
	if err := cmp.Or(checkName("bucket_id", id), checkProtocols(r.GetProtocols())); err != nil {
		return nil, err
	}
	err := d.store.change(func(s *state) error {
		existing, exists := s.Buckets[id]
		if exists && !maps.Equal(existing.Parameters, r.GetParameters()) {
			return status.Errorf(codes.AlreadyExists, "bucket %q exists with other parameters", id)
		}
		s.Buckets[id] = bucket{r.GetParameters()}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return &cosiv1alpha2.DriverCreateBucketResponse{Protocols: info(id)}, nil
}

// DriverGetBucket looks up a bucket that was created outside of COSI.
func (d *Driver) DriverGetBucket(_ context.Context, r *cosiv1alpha2.DriverGetBucketRequest) (*cosiv1alpha2.DriverGetBucketResponse, error) {
	if err := cmp.Or(checkName("bucket_id", r.GetBucketId()), checkProtocols(r.GetProtocols())); err != nil {
		return nil, err
	}
	current := d.store.read()
	if err := current.mustHave(r.GetBucketId()); err != nil {
		return nil, err
	}
	// Outside of COSI, a caller may request a bucket without its parameters.
	if asked := r.GetParameters(); len(asked) > 0 && !maps.Equal(asked, current.Buckets[r.GetBucketId()].Parameters) {
		return nil, status.Errorf(codes.InvalidArgument, "bucket %q has other parameters", r.GetBucketId())
	}
	return &cosiv1alpha2.DriverGetBucketResponse{Protocols: info(r.GetBucketId())}, nil
}

// DriverDeleteBucket deletes a bucket. It succeeds if the bucket does not exist.
func (d *Driver) DriverDeleteBucket(
	_ context.Context, r *cosiv1alpha2.DriverDeleteBucketRequest,
) (*cosiv1alpha2.DriverDeleteBucketResponse, error) {
	if err := checkName("bucket_id", r.GetBucketId()); err != nil {
		return nil, err
	}
	return &cosiv1alpha2.DriverDeleteBucketResponse{}, d.store.change(func(s *state) error {
		delete(s.Buckets, r.GetBucketId())
		return nil
	})
}

// DriverGenerateBucketAccessId returns the ID of an account, as DriverGenerateBucketId
// does for a bucket.
//
//nolint:revive // the name is the protocol's
func (d *Driver) DriverGenerateBucketAccessId(
	_ context.Context, r *cosiv1alpha2.DriverGenerateBucketAccessIdRequest,
) (*cosiv1alpha2.DriverGenerateBucketAccessIdResponse, error) {
	if err := checkName("account_name", r.GetAccountName()); err != nil {
		return nil, err
	}
	return &cosiv1alpha2.DriverGenerateBucketAccessIdResponse{AccountId: r.GetAccountName()}, nil
}

// DriverGrantBucketAccess creates an account with a key. It returns the same key if the same
// account exists, and AlreadyExists if another one does.
func (d *Driver) DriverGrantBucketAccess(
	_ context.Context, r *cosiv1alpha2.DriverGrantBucketAccessRequest,
) (*cosiv1alpha2.DriverGrantBucketAccessResponse, error) {
	id := r.GetAccountId()
	wanted, err := accountOf(r)
	if err != nil {
		return nil, err
	}
	response := &cosiv1alpha2.DriverGrantBucketAccessResponse{}
	err = d.store.change(func(s *state) error {
		for bucket := range wanted.Modes {
			if err := s.mustHave(bucket); err != nil {
				return err
			}
		}
		existing, exists := s.Accounts[id]
		if exists && !existing.equals(wanted) {
			return status.Errorf(codes.AlreadyExists, "account %q exists with other buckets, modes or parameters", id)
		}
		wanted.Key = rand.Text()
		if exists {
			wanted.Key = existing.Key
		}
		s.Accounts[id] = wanted
		return nil
	})
	if err != nil {
		return nil, err
	}
	response.Credentials = &cosiv1alpha2.CredentialInfo{S3: &cosiv1alpha2.S3CredentialInfo{AccessKeyId: id, AccessSecretKey: wanted.Key}}
	for _, bucket := range r.GetBuckets() {
		response.Buckets = append(response.Buckets, &cosiv1alpha2.DriverGrantBucketAccessResponse_BucketInfo{
			BucketId: bucket.GetBucketId(), BucketInfo: info(bucket.GetBucketId()),
		})
	}
	return response, nil
}

// DriverRevokeBucketAccess deletes an account. It succeeds if the account does not exist.
func (d *Driver) DriverRevokeBucketAccess(
	_ context.Context, r *cosiv1alpha2.DriverRevokeBucketAccessRequest,
) (*cosiv1alpha2.DriverRevokeBucketAccessResponse, error) {
	if err := checkName("account_id", r.GetAccountId()); err != nil {
		return nil, err
	}
	return &cosiv1alpha2.DriverRevokeBucketAccessResponse{}, d.store.change(func(s *state) error {
		delete(s.Accounts, r.GetAccountId())
		return nil
	})
}

// Leftovers returns the numbers of buckets and accounts that exist.
func (d *Driver) Leftovers() (buckets, accounts int) {
	s := d.store.read()
	return len(s.Buckets), len(s.Accounts)
}

func info(id string) *cosiv1alpha2.ObjectProtocolAndBucketInfo {
	return &cosiv1alpha2.ObjectProtocolAndBucketInfo{S3: &cosiv1alpha2.S3BucketInfo{
		BucketId: id, Endpoint: "https://s3.example.com", Region: "us-east-1",
		AddressingStyle: &cosiv1alpha2.S3AddressingStyle{Style: cosiv1alpha2.S3AddressingStyle_PATH},
	}}
}
