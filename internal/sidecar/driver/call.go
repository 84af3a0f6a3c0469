package driver

import (
	"context"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Names of the calls, as they appear in errors.
const (
	generateBucketID       = "DriverGenerateBucketId"
	createBucket           = "DriverCreateBucket"
	getBucket              = "DriverGetBucket"
	deleteBucket           = "DriverDeleteBucket"
	generateBucketAccessID = "DriverGenerateBucketAccessId"
	grantBucketAccess      = "DriverGrantBucketAccess"
	revokeBucketAccess     = "DriverRevokeBucketAccess"
)

// rpc is a method of a generated gRPC client.
type rpc[request, response any] func(context.Context, *request, ...grpc.CallOption) (*response, error)

// call makes one call with a deadline. The driver must be identified: a call that
// another driver receives by mistake could destroy data.
func call[request, response any](ctx context.Context, d *Driver, method string, do rpc[request, response], in *request) (*response, error) {
	if !d.identified.Load() {
		return nil, newCallError(method, status.Errorf(codes.Unavailable, "there is no connection to the driver at %s", d.options.Endpoint))
	}
	ctx, cancel := context.WithTimeout(ctx, d.options.RPCTimeout)
	defer cancel()
	out, err := do(ctx, in)
	if err != nil {
		return nil, newCallError(method, err)
	}
	return out, nil
}
