package drivertest

import (
	"context"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	cosi "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

// What the driver says of all its buckets.
const (
	S3Endpoint = "http://127.0.0.1:9000"
	S3Region   = "test-1"
)

// SecretKey is the secret that the driver hands out for an account.
func SecretKey(account string) string { return "secret-of-" + account }

// S3Info is what the driver says of a bucket.
func S3Info(bucket string) *cosi.ObjectProtocolAndBucketInfo {
	return &cosi.ObjectProtocolAndBucketInfo{S3: &cosi.S3BucketInfo{
		BucketId:        bucket,
		Endpoint:        S3Endpoint,
		Region:          S3Region,
		AddressingStyle: &cosi.S3AddressingStyle{Style: cosi.S3AddressingStyle_PATH},
	}}
}

// DriverGetInfo implements the call: the driver serves S3.
func (d *Driver) DriverGetInfo(context.Context, *cosi.DriverGetInfoRequest) (*cosi.DriverGetInfoResponse, error) {
	return &cosi.DriverGetInfoResponse{
		Name:               d.Name(),
		SupportedProtocols: []*cosi.ObjectProtocol{{Type: cosi.ObjectProtocol_S3}},
	}, nil
}

// DriverGenerateBucketId implements the call: the ID is made from the name.
func (d *Driver) DriverGenerateBucketId( //nolint:revive // the name is generated
	_ context.Context, request *cosi.DriverGenerateBucketIdRequest,
) (*cosi.DriverGenerateBucketIdResponse, error) {
	return &cosi.DriverGenerateBucketIdResponse{BucketId: "id-" + request.GetName()}, nil
}

// DriverCreateBucket implements the call.
func (d *Driver) DriverCreateBucket(
	_ context.Context, request *cosi.DriverCreateBucketRequest,
) (*cosi.DriverCreateBucketResponse, error) {
	d.set(d.buckets, request.GetBucketId(), true)
	return &cosi.DriverCreateBucketResponse{Protocols: S3Info(request.GetBucketId())}, nil
}

// DriverGetBucket implements the call.
func (d *Driver) DriverGetBucket(_ context.Context, request *cosi.DriverGetBucketRequest) (*cosi.DriverGetBucketResponse, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.buckets[request.GetBucketId()] {
		return nil, status.Errorf(codes.NotFound, "there is no bucket %q", request.GetBucketId())
	}
	return &cosi.DriverGetBucketResponse{Protocols: S3Info(request.GetBucketId())}, nil
}

// DriverDeleteBucket implements the call.
func (d *Driver) DriverDeleteBucket(
	_ context.Context, request *cosi.DriverDeleteBucketRequest,
) (*cosi.DriverDeleteBucketResponse, error) {
	d.set(d.buckets, request.GetBucketId(), false)
	return &cosi.DriverDeleteBucketResponse{}, nil
}

// DriverGenerateBucketAccessId implements the call: the ID is made from the name.
func (d *Driver) DriverGenerateBucketAccessId( //nolint:revive // the name is generated
	_ context.Context, request *cosi.DriverGenerateBucketAccessIdRequest,
) (*cosi.DriverGenerateBucketAccessIdResponse, error) {
	return &cosi.DriverGenerateBucketAccessIdResponse{AccountId: "id-" + request.GetAccountName()}, nil
}

// DriverGrantBucketAccess implements the call: the key is made from the ID.
func (d *Driver) DriverGrantBucketAccess(
	_ context.Context, request *cosi.DriverGrantBucketAccessRequest,
) (*cosi.DriverGrantBucketAccessResponse, error) {
	account := request.GetAccountId()
	d.set(d.accounts, account, true)
	response := &cosi.DriverGrantBucketAccessResponse{Credentials: &cosi.CredentialInfo{S3: &cosi.S3CredentialInfo{
		AccessKeyId:     "key-of-" + account,
		AccessSecretKey: SecretKey(account),
	}}}
	for _, bucket := range request.GetBuckets() {
		response.Buckets = append(response.Buckets, &cosi.DriverGrantBucketAccessResponse_BucketInfo{
			BucketId: bucket.GetBucketId(), BucketInfo: S3Info(bucket.GetBucketId()),
		})
	}
	return response, nil
}

// DriverRevokeBucketAccess implements the call.
func (d *Driver) DriverRevokeBucketAccess(
	_ context.Context, request *cosi.DriverRevokeBucketAccessRequest,
) (*cosi.DriverRevokeBucketAccessResponse, error) {
	d.set(d.accounts, request.GetAccountId(), false)
	return &cosi.DriverRevokeBucketAccessResponse{}, nil
}
