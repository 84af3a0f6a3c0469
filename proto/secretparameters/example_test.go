package secretparameters_test

import (
	"context"
	"fmt"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
	"github.com/cosi-emu/cosi-emu/proto/secretparameters"
)

// driver is your driver.
type driver struct {
	cosiv1alpha2.UnimplementedProvisionerServer
}

func (driver) DriverCreateBucket(
	ctx context.Context, _ *cosiv1alpha2.DriverCreateBucketRequest,
) (*cosiv1alpha2.DriverCreateBucketResponse, error) {
	secret, err := secretparameters.FromIncomingContext(ctx)
	if err != nil {
		return nil, err
	}
	if secret["token"] == "" { // not InvalidArgument: the sidecar retries once an administrator has corrected the Secret
		return nil, status.Error(codes.FailedPrecondition, "the Secret that the class names has no key token")
	}
	// Create the bucket with the token.
	return &cosiv1alpha2.DriverCreateBucketResponse{}, nil
}

func Example() {
	_, err := driver{}.DriverCreateBucket(context.Background(), nil)
	fmt.Println(status.Convert(err).Message())
	// Output: the Secret that the class names has no key token
}
