package drivertest

import (
	"context"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

// The driver's settings of all its buckets.
const (
	S3Endpoint = "http://127.0.0.1:9000"
	S3Region   = "test-1"
)

// SecretKey is the secret that the driver hands out for an account.
func SecretKey(account string) string { return "secret-of-" + account }

// S3Info is the driver's description of a bucket.
func S3Info(bucket string) *cosiv1alpha2.ObjectProtocolAndBucketInfo {
	return &cosiv1alpha2.ObjectProtocolAndBucketInfo{S3: &cosiv1alpha2.S3BucketInfo{
		BucketId:        bucket,
		Endpoint:        S3Endpoint,
		Region:          S3Region,
		AddressingStyle: &cosiv1alpha2.S3AddressingStyle{Style: cosiv1alpha2.S3AddressingStyle_PATH},
	}}
}

// DriverGetInfo implements the call: the driver serves S3.
func (d *Driver) DriverGetInfo(context.Context, *cosiv1alpha2.DriverGetInfoRequest) (*cosiv1alpha2.DriverGetInfoResponse, error) {
	return &cosiv1alpha2.DriverGetInfoResponse{
		Name:               d.Name(),
		SupportedProtocols: []*cosiv1alpha2.ObjectProtocol{{Type: cosiv1alpha2.ObjectProtocol_S3}},
	}, nil
}

// DriverGenerateBucketId implements the call: the ID is made from the name.
func (d *Driver) DriverGenerateBucketId( //nolint:revive // the name is generated
	_ context.Context, request *cosiv1alpha2.DriverGenerateBucketIdRequest,
) (*cosiv1alpha2.DriverGenerateBucketIdResponse, error) {
	return &cosiv1alpha2.DriverGenerateBucketIdResponse{BucketId: "id-" + request.GetName()}, nil
}

// DriverCreateBucket implements the call.
func (d *Driver) DriverCreateBucket(
	_ context.Context, request *cosiv1alpha2.DriverCreateBucketRequest,
) (*cosiv1alpha2.DriverCreateBucketResponse, error) {
	d.set(d.buckets, request.GetBucketId(), true)
	return &cosiv1alpha2.DriverCreateBucketResponse{Protocols: S3Info(request.GetBucketId())}, nil
}

// DriverGetBucket implements the call.
func (d *Driver) DriverGetBucket(
	_ context.Context, request *cosiv1alpha2.DriverGetBucketRequest,
) (*cosiv1alpha2.DriverGetBucketResponse, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.buckets[request.GetBucketId()] {
		return nil, status.Errorf(codes.NotFound, "there is no bucket %q", request.GetBucketId())
	}
	return &cosiv1alpha2.DriverGetBucketResponse{Protocols: S3Info(request.GetBucketId())}, nil
}

// DriverDeleteBucket implements the call.
func (d *Driver) DriverDeleteBucket(
	_ context.Context, request *cosiv1alpha2.DriverDeleteBucketRequest,
) (*cosiv1alpha2.DriverDeleteBucketResponse, error) {
	d.set(d.buckets, request.GetBucketId(), false)
	return &cosiv1alpha2.DriverDeleteBucketResponse{}, nil
}

// DriverGenerateBucketAccessId implements the call: the ID is made from the name.
func (d *Driver) DriverGenerateBucketAccessId( //nolint:revive // the name is generated
	_ context.Context, request *cosiv1alpha2.DriverGenerateBucketAccessIdRequest,
) (*cosiv1alpha2.DriverGenerateBucketAccessIdResponse, error) {
	return &cosiv1alpha2.DriverGenerateBucketAccessIdResponse{AccountId: "id-" + request.GetAccountName()}, nil
}

// DriverGrantBucketAccess implements the call: the key is made from the ID.
func (d *Driver) DriverGrantBucketAccess(
	_ context.Context, request *cosiv1alpha2.DriverGrantBucketAccessRequest,
) (*cosiv1alpha2.DriverGrantBucketAccessResponse, error) {
	account := request.GetAccountId()
	d.set(d.accounts, account, true)
	response := &cosiv1alpha2.DriverGrantBucketAccessResponse{Credentials: &cosiv1alpha2.CredentialInfo{S3: &cosiv1alpha2.S3CredentialInfo{
		AccessKeyId:     "key-of-" + account,
		AccessSecretKey: SecretKey(account),
	}}}
	for _, bucket := range request.GetBuckets() {
		response.Buckets = append(response.Buckets, &cosiv1alpha2.DriverGrantBucketAccessResponse_BucketInfo{
			BucketId: bucket.GetBucketId(), BucketInfo: S3Info(bucket.GetBucketId()),
		})
	}
	return response, nil
}

// DriverRevokeBucketAccess implements the call.
func (d *Driver) DriverRevokeBucketAccess(
	_ context.Context, request *cosiv1alpha2.DriverRevokeBucketAccessRequest,
) (*cosiv1alpha2.DriverRevokeBucketAccessResponse, error) {
	d.set(d.accounts, request.GetAccountId(), false)
	return &cosiv1alpha2.DriverRevokeBucketAccessResponse{}, nil
}
