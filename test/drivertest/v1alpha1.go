package drivertest

import (
	"context"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	cosiv1alpha1 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha1"
)

// V1alpha1 is a scriptable driver of v1alpha1, with IDs as deployed drivers have them. Its
// methods are safe for concurrent use.
type V1alpha1 struct {
	cosiv1alpha1.UnimplementedIdentityServer
	cosiv1alpha1.UnimplementedProvisionerServer
	*Server
}

// StartV1alpha1 returns a driver of v1alpha1 that serves. It is stopped when the test ends.
func StartV1alpha1(tb testing.TB, name string) *V1alpha1 {
	tb.Helper()
	d := &V1alpha1{}
	d.Server = newServer(tb, name, func(server *grpc.Server) {
		cosiv1alpha1.RegisterIdentityServer(server, d)
		cosiv1alpha1.RegisterProvisionerServer(server, d)
	})
	d.Serve()
	return d
}

// V1alpha1BucketID is the ID that the driver makes from the name of a bucket.
func V1alpha1BucketID(name string) string { return "arn:s3/" + name }

// V1alpha1AccountID is the ID that the driver makes from the name of an account.
func V1alpha1AccountID(name string) string { return "user/" + name }

// V1alpha1Credentials are the credentials that the driver grants to an account.
func V1alpha1Credentials(account string) map[string]*cosiv1alpha1.CredentialDetails {
	return map[string]*cosiv1alpha1.CredentialDetails{cosiv1alpha1.CredentialsS3: {Secrets: map[string]string{
		cosiv1alpha1.S3AccessKeyID: "key-of-" + account, cosiv1alpha1.S3AccessSecretKey: SecretKey(account),
		cosiv1alpha1.S3Endpoint: S3Endpoint, cosiv1alpha1.S3Region: S3Region,
	}}}
}

// DriverGetInfo implements the call.
func (d *V1alpha1) DriverGetInfo(context.Context, *cosiv1alpha1.DriverGetInfoRequest) (*cosiv1alpha1.DriverGetInfoResponse, error) {
	return &cosiv1alpha1.DriverGetInfoResponse{Name: d.Name()}, nil
}

// DriverCreateBucket implements the call. It returns no info, as many drivers.
func (d *V1alpha1) DriverCreateBucket(
	_ context.Context, request *cosiv1alpha1.DriverCreateBucketRequest,
) (*cosiv1alpha1.DriverCreateBucketResponse, error) {
	id := V1alpha1BucketID(request.GetName())
	d.set(d.buckets, id, true)
	return &cosiv1alpha1.DriverCreateBucketResponse{BucketId: id}, nil
}

// DriverDeleteBucket implements the call. If the bucket does not exist, it returns NotFound, as many
// drivers do.
func (d *V1alpha1) DriverDeleteBucket(
	_ context.Context, request *cosiv1alpha1.DriverDeleteBucketRequest,
) (*cosiv1alpha1.DriverDeleteBucketResponse, error) {
	return &cosiv1alpha1.DriverDeleteBucketResponse{}, d.remove(d.buckets, request.GetBucketId())
}

// DriverGrantBucketAccess implements the call.
func (d *V1alpha1) DriverGrantBucketAccess(
	_ context.Context, request *cosiv1alpha1.DriverGrantBucketAccessRequest,
) (*cosiv1alpha1.DriverGrantBucketAccessResponse, error) {
	if !d.has(d.buckets, request.GetBucketId()) {
		return nil, status.Errorf(codes.NotFound, "no bucket %s", request.GetBucketId())
	}
	account := V1alpha1AccountID(request.GetName())
	d.set(d.accounts, account, true)
	response := &cosiv1alpha1.DriverGrantBucketAccessResponse{AccountId: account}
	if request.GetAuthenticationType() == cosiv1alpha1.AuthenticationType_Key {
		response.Credentials = V1alpha1Credentials(account)
	}
	return response, nil
}

// DriverRevokeBucketAccess implements the call.
func (d *V1alpha1) DriverRevokeBucketAccess(
	_ context.Context, request *cosiv1alpha1.DriverRevokeBucketAccessRequest,
) (*cosiv1alpha1.DriverRevokeBucketAccessResponse, error) {
	return &cosiv1alpha1.DriverRevokeBucketAccessResponse{}, d.remove(d.accounts, request.GetAccountId())
}

func (d *V1alpha1) has(of map[string]bool, id string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return of[id]
}

func (d *V1alpha1) remove(from map[string]bool, id string) error {
	if strings.TrimSpace(id) == "" {
		return status.Error(codes.InvalidArgument, "no ID")
	}
	if !d.has(from, id) {
		return status.Errorf(codes.NotFound, "no %s", id)
	}
	d.set(from, id, false)
	return nil
}
