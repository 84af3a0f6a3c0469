package fakedriver

import (
	"context"
	"errors"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

// DriverGenerateBucketId implements the Provisioner service. It calls no backend.
//
//nolint:revive // the name is the protocol's
func (d *Driver) DriverGenerateBucketId(
	_ context.Context, r *cosiv1alpha2.DriverGenerateBucketIdRequest,
) (*cosiv1alpha2.DriverGenerateBucketIdResponse, error) {
	if err := checkName("name", r.GetName()); err != nil {
		return nil, err
	}
	if _, err := d.bucketSpec("", r.GetProtocols(), r.GetParameters()); err != nil {
		return nil, err
	}
	return &cosiv1alpha2.DriverGenerateBucketIdResponse{BucketId: bucketID(r.GetName())}, nil
}

// DriverCreateBucket implements the Provisioner service.
func (d *Driver) DriverCreateBucket(
	ctx context.Context, r *cosiv1alpha2.DriverCreateBucketRequest,
) (*cosiv1alpha2.DriverCreateBucketResponse, error) {
	if err := checkBucketID(r.GetBucketId()); err != nil {
		return nil, err
	}
	spec, err := d.bucketSpec(r.GetBucketId(), r.GetProtocols(), r.GetParameters())
	if err != nil {
		return nil, err
	}
	b, err := d.options.Backend.CreateBucket(ctx, spec)
	if err != nil {
		return nil, statusOf(err)
	}
	return &cosiv1alpha2.DriverCreateBucketResponse{Protocols: d.bucketInfo(b)}, nil
}

// DriverGetBucket implements the Provisioner service. The bucket must have the request's
// parameters, and may have others.
func (d *Driver) DriverGetBucket(
	ctx context.Context, r *cosiv1alpha2.DriverGetBucketRequest,
) (*cosiv1alpha2.DriverGetBucketResponse, error) {
	if err := checkBucketID(r.GetBucketId()); err != nil {
		return nil, err
	}
	spec, err := d.bucketSpec("", r.GetProtocols(), r.GetParameters())
	if err != nil {
		return nil, err
	}
	b, err := d.options.Backend.GetBucket(ctx, r.GetBucketId())
	if err != nil {
		return nil, statusOf(err)
	}
	if len(r.GetProtocols()) > 0 {
		if err := checkBucketProtocol(b, spec.Protocol); err != nil {
			return nil, err
		}
	}
	for key, value := range r.GetParameters() {
		if b.Parameters[key] != value {
			return nil, status.Errorf(codes.AlreadyExists, "bucket %q exists, but its parameter %s has another value", b.Name, key)
		}
	}
	return &cosiv1alpha2.DriverGetBucketResponse{Protocols: d.bucketInfo(b)}, nil
}

// DriverDeleteBucket implements the Provisioner service. It ignores the parameters: those at
// creation decide how a bucket is deleted, and a changed class must not prevent that.
func (d *Driver) DriverDeleteBucket(
	ctx context.Context, r *cosiv1alpha2.DriverDeleteBucketRequest,
) (*cosiv1alpha2.DriverDeleteBucketResponse, error) {
	if err := checkID("bucket_id", r.GetBucketId()); err != nil {
		return nil, err
	}
	err := d.options.Backend.DeleteBucket(ctx, d.options.Name, r.GetBucketId())
	switch {
	case err == nil, errors.Is(err, ErrNotExist):
		return &cosiv1alpha2.DriverDeleteBucketResponse{}, nil
	case errors.Is(err, ErrConflict):
		return nil, status.Errorf(codes.FailedPrecondition,
			"bucket %q was not created by driver %s, which will not delete it", r.GetBucketId(), d.options.Name)
	default:
		return nil, statusOf(err)
	}
}

// bucketSpec translates a request to create a bucket.
func (d *Driver) bucketSpec(name string, protocols []*cosiv1alpha2.ObjectProtocol, parameters map[string]string) (BucketSpec, error) {
	spec := BucketSpec{Name: name, Owner: d.options.Name}
	protocol, err := d.bucketProtocol(protocols)
	if err != nil {
		return spec, err
	}
	parameters = d.bucketParameters(protocol, parameters)
	spec.Protocol, spec.Parameters = protocol, parameters
	if err := apply(bucketParameters, parameters, &spec); err != nil {
		return spec, err
	}
	if err := checkBucketParameters(protocol, parameters); err != nil {
		return spec, err
	}
	if parameters[ParameterAddressingStyle] == AddressingVirtual && d.options.VirtualEndpoint == "" {
		return spec, invalid("parameter %s is %s, but the store of this driver has no virtual-host addresses: it must be %s",
			ParameterAddressingStyle, AddressingVirtual, AddressingPath)
	}
	return spec, nil
}
