package bridge_test

import (
	"context"
	"fmt"
	"maps"
	"net"
	"slices"
	"sync"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"

	cosiv1alpha1 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha1"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// oldDriver is an idempotent driver of v1alpha1, in memory.
type oldDriver struct {
	cosiv1alpha1.UnimplementedIdentityServer
	cosiv1alpha1.UnimplementedProvisionerServer

	// idOf returns the ID for a name. The default is the name.
	idOf func(name string) string
	// credentials are the result of a grant.
	credentials map[string]*cosiv1alpha1.CredentialDetails
	// info describes a created bucket.
	info *cosiv1alpha1.Protocol
	// fails, if set, is asked before each call.
	fails func(method string) error
	// strict has Delete and Revoke return NOT_FOUND for a bucket or account that is gone.
	strict bool

	mu       sync.Mutex
	buckets  map[string]string // names, by ID
	accounts map[string]string // names, by ID
	requests []any
}

// dial serves the driver until the test ends, and returns the options to dial it.
func (d *oldDriver) dial(tb testing.TB) []grpc.DialOption {
	tb.Helper()
	listener, server := bufconn.Listen(1<<20), grpc.NewServer()
	d.register(server)
	harness.ServeOn(tb, server, listener)
	return []grpc.DialOption{grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) {
		return listener.DialContext(ctx)
	})}
}

// register adds the services of the driver to a server.
func (d *oldDriver) register(server *grpc.Server) {
	d.buckets, d.accounts = map[string]string{}, map[string]string{}
	if d.idOf == nil {
		d.idOf = func(name string) string { return name }
	}
	cosiv1alpha1.RegisterIdentityServer(server, d)
	cosiv1alpha1.RegisterProvisionerServer(server, d)
}

func (d *oldDriver) check(method string, request any) error {
	d.requests = append(d.requests, request)
	if d.fails == nil {
		return nil
	}
	return d.fails(method)
}

func (*oldDriver) DriverGetInfo(context.Context, *cosiv1alpha1.DriverGetInfoRequest) (*cosiv1alpha1.DriverGetInfoResponse, error) {
	return &cosiv1alpha1.DriverGetInfoResponse{Name: "old.example.com"}, nil
}

func (d *oldDriver) DriverCreateBucket(
	_ context.Context, request *cosiv1alpha1.DriverCreateBucketRequest,
) (*cosiv1alpha1.DriverCreateBucketResponse, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.check("DriverCreateBucket", request); err != nil {
		return nil, err
	}
	id := d.idOf(request.GetName())
	d.buckets[id] = request.GetName()
	return &cosiv1alpha1.DriverCreateBucketResponse{BucketId: id, BucketInfo: d.info}, nil
}

func (d *oldDriver) DriverDeleteBucket(
	_ context.Context, request *cosiv1alpha1.DriverDeleteBucketRequest,
) (*cosiv1alpha1.DriverDeleteBucketResponse, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.check("DriverDeleteBucket", request); err != nil {
		return nil, err
	}
	if err := d.remove(d.buckets, request.GetBucketId()); err != nil {
		return nil, err
	}
	return &cosiv1alpha1.DriverDeleteBucketResponse{}, nil
}

func (d *oldDriver) DriverGrantBucketAccess(
	_ context.Context, request *cosiv1alpha1.DriverGrantBucketAccessRequest,
) (*cosiv1alpha1.DriverGrantBucketAccessResponse, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.check("DriverGrantBucketAccess", request); err != nil {
		return nil, err
	}
	if _, exists := d.buckets[request.GetBucketId()]; !exists {
		return nil, status.Errorf(codes.NotFound, "no bucket %s", request.GetBucketId())
	}
	id := d.idOf(request.GetName())
	d.accounts[id] = request.GetName()
	return &cosiv1alpha1.DriverGrantBucketAccessResponse{AccountId: id, Credentials: d.credentials}, nil
}

func (d *oldDriver) DriverRevokeBucketAccess(
	_ context.Context, request *cosiv1alpha1.DriverRevokeBucketAccessRequest,
) (*cosiv1alpha1.DriverRevokeBucketAccessResponse, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.check("DriverRevokeBucketAccess", request); err != nil {
		return nil, err
	}
	if err := d.remove(d.accounts, request.GetAccountId()); err != nil {
		return nil, err
	}
	return &cosiv1alpha1.DriverRevokeBucketAccessResponse{}, nil
}

func (d *oldDriver) remove(from map[string]string, id string) error {
	if _, exists := from[id]; !exists && d.strict {
		return status.Errorf(codes.NotFound, "no %s", id)
	}
	delete(from, id)
	return nil
}

// left lists the remaining buckets and accounts.
func (d *oldDriver) left() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	var left []string
	for _, id := range slices.Sorted(maps.Keys(d.buckets)) {
		left = append(left, fmt.Sprintf("bucket %s of %s", id, d.buckets[id]))
	}
	for _, id := range slices.Sorted(maps.Keys(d.accounts)) {
		left = append(left, fmt.Sprintf("account %s of %s", id, d.accounts[id]))
	}
	return left
}

// s3Credentials are those that most drivers return.
func s3Credentials(change ...func(map[string]string)) map[string]*cosiv1alpha1.CredentialDetails {
	secrets := map[string]string{
		cosiv1alpha1.S3AccessKeyID: "AKIA", cosiv1alpha1.S3AccessSecretKey: "hush",
		cosiv1alpha1.S3Endpoint: "https://s3.example.com", cosiv1alpha1.S3Region: "eu-1",
	}
	for _, f := range change {
		f(secrets)
	}
	return map[string]*cosiv1alpha1.CredentialDetails{cosiv1alpha1.CredentialsS3: {Secrets: secrets}}
}
