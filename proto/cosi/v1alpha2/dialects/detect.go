package dialects

import (
	"context"
	"fmt"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	cosiv1alpha1 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha1"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

// Detect asks a driver for its dialect. Its calls create nothing: they lack the name or ID. A
// method that the driver lacks, or has only as a stub, returns UNIMPLEMENTED. The first call that
// the driver implements decides, and no other follows. Detect returns OneMode for a driver of
// NoModes: both have the same calls.
func Detect(ctx context.Context, conn grpc.ClientConnInterface) (Dialect, error) {
	provisioner := cosiv1alpha2.NewProvisionerClient(conn)
	for _, question := range []struct {
		dialect Dialect
		ask     func() (bool, error)
	}{
		{KEP, func() (bool, error) {
			_, err := provisioner.DriverGenerateBucketAccessId(ctx, &cosiv1alpha2.DriverGenerateBucketAccessIdRequest{})
			return serves(err)
		}},
		{BucketIDs, func() (bool, error) {
			_, err := provisioner.DriverGenerateBucketId(ctx, &cosiv1alpha2.DriverGenerateBucketIdRequest{})
			return serves(err)
		}},
		{V1alpha1, func() (bool, error) { return servesOnlyV1alpha1(ctx, conn) }},
		{OneModeGet, func() (bool, error) {
			_, err := provisioner.DriverGetBucket(ctx, &cosiv1alpha2.DriverGetBucketRequest{})
			return serves(err)
		}},
	} {
		yes, err := question.ask()
		if err != nil {
			return "", err
		}
		if yes {
			return question.dialect, nil
		}
	}
	return OneMode, nil
}

func servesOnlyV1alpha1(ctx context.Context, conn grpc.ClientConnInterface) (bool, error) {
	_, err := cosiv1alpha2.NewIdentityClient(conn).DriverGetInfo(ctx, &cosiv1alpha2.DriverGetInfoRequest{})
	if served, err := serves(err); err != nil || served {
		return false, err
	}
	_, err = cosiv1alpha1.NewIdentityClient(conn).DriverGetInfo(ctx, &cosiv1alpha1.DriverGetInfoRequest{})
	served, err := serves(err)
	if err == nil && !served {
		err = status.Errorf(codes.Unimplemented, "the driver serves neither COSI v1alpha2 nor v1alpha1 (services %s and %s)",
			cosiv1alpha2.Identity_ServiceDesc.ServiceName, cosiv1alpha1.Identity_ServiceDesc.ServiceName)
	}
	return served, err
}

// serves reports whether a driver has a method, from the error of a call. The error is for a driver
// that did not answer.
func serves(err error) (bool, error) {
	switch status.Code(err) {
	case codes.Unimplemented:
		return false, nil
	case codes.Unavailable, codes.DeadlineExceeded, codes.Canceled:
		return false, fmt.Errorf("the dialect of the driver is not known: %w", err)
	default:
		return true, nil
	}
}
