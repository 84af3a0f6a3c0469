package conformance_test

import (
	"context"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

// Shorter names of the messages.
type (
	info       = cosiv1alpha2.DriverGetInfoRequest
	getInfo    = cosiv1alpha2.DriverGetInfoResponse
	generate   = cosiv1alpha2.DriverGenerateBucketIdRequest
	generated  = cosiv1alpha2.DriverGenerateBucketIdResponse
	create     = cosiv1alpha2.DriverCreateBucketRequest
	created    = cosiv1alpha2.DriverCreateBucketResponse
	get        = cosiv1alpha2.DriverGetBucketRequest
	got        = cosiv1alpha2.DriverGetBucketResponse
	remove     = cosiv1alpha2.DriverDeleteBucketRequest
	removed    = cosiv1alpha2.DriverDeleteBucketResponse
	account    = cosiv1alpha2.DriverGenerateBucketAccessIdRequest
	accountIs  = cosiv1alpha2.DriverGenerateBucketAccessIdResponse
	grant      = cosiv1alpha2.DriverGrantBucketAccessRequest
	granted    = cosiv1alpha2.DriverGrantBucketAccessResponse
	revoke     = cosiv1alpha2.DriverRevokeBucketAccessRequest
	revoked    = cosiv1alpha2.DriverRevokeBucketAccessResponse
	bucketInfo = cosiv1alpha2.ObjectProtocolAndBucketInfo
)

// call calls the driver below a behaviour. A request of v1alpha2 may be another one than the
// driver was called with.
type call func(request any) (any, error)

// detached is a request that the driver serves although its caller may have given up.
type detached struct{ request any }

// behaviour answers a request, with or without the driver below.
type behaviour func(ctx context.Context, request any, next call) (any, error)

// always is a behaviour without state.
func always(b behaviour) func(*sync.Map) behaviour { return func(*sync.Map) behaviour { return b } }

// exists returns whether a name was there before, and adds it.
func exists(names *sync.Map, name string) bool {
	_, known := names.LoadOrStore(name, true)
	return known
}

func failed(code codes.Code, message string) error { return status.Error(code, message) }

// intercept has a behaviour between the connection and the driver.
func intercept(b behaviour) grpc.UnaryServerInterceptor {
	return func(ctx context.Context, request any, info *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (any, error) {
		return b(ctx, request, func(r any) (any, error) {
			if r == request {
				return handler(ctx, r)
			}
			if free, ok := r.(detached); ok {
				return handler(context.WithoutCancel(ctx), free.request)
			}
			provisioner := info.Server.(cosiv1alpha2.ProvisionerServer) //nolint:forcetypeassert // it is
			switch r := r.(type) {
			case *create:
				return provisioner.DriverCreateBucket(ctx, r)
			case *get:
				return provisioner.DriverGetBucket(ctx, r)
			case *remove:
				return provisioner.DriverDeleteBucket(ctx, r)
			case *grant:
				return provisioner.DriverGrantBucketAccess(ctx, r)
			case *revoke:
				return provisioner.DriverRevokeBucketAccess(ctx, r)
			default:
				return handler(ctx, r)
			}
		})
	}
}

// together is a part of a call that takes so long that simultaneous calls arrive. On a busy
// machine it takes longer, because others have their turn between its ticks.
func together(ctx context.Context) {
	const ticks = 50
	ticker := time.NewTicker(time.Millisecond)
	defer ticker.Stop()
	for range ticks {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
	}
}

// isShort returns whether a call has a deadline that the suite gives only to calls that it
// cancels.
func isShort(ctx context.Context) bool {
	const short = 100 * time.Millisecond
	deadline, ok := ctx.Deadline()
	return ok && time.Until(deadline) < short
}
