package staticdriver

import (
	"context"

	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

// errCreates is the error of calls that create a bucket.
func (d *Driver) errCreates() error {
	return invalid("driver %s creates no buckets: create a Bucket with the name of an existing bucket in spec.existingBucketID, "+
		"and name that Bucket in spec.existingBucketName of the BucketClaim", d.options.Name)
}

// DriverGenerateBucketId implements the Provisioner service.
//
//nolint:revive // the name is the protocol's
func (d *Driver) DriverGenerateBucketId(
	context.Context, *cosiv1alpha2.DriverGenerateBucketIdRequest,
) (*cosiv1alpha2.DriverGenerateBucketIdResponse, error) {
	return nil, d.errCreates()
}

// DriverCreateBucket implements the Provisioner service.
func (d *Driver) DriverCreateBucket(
	context.Context, *cosiv1alpha2.DriverCreateBucketRequest,
) (*cosiv1alpha2.DriverCreateBucketResponse, error) {
	return nil, d.errCreates()
}

// DriverGetBucket implements the Provisioner service. It trusts the administrator that the bucket exists: a Bucket need not name a
// Secret, so the driver could not ask the provider. Without one, the address may be incomplete until an access is granted.
func (d *Driver) DriverGetBucket(
	ctx context.Context, r *cosiv1alpha2.DriverGetBucketRequest,
) (*cosiv1alpha2.DriverGetBucketResponse, error) {
	if r.GetBucketId() == "" {
		return nil, invalid("bucket_id is empty")
	}
	if len(r.GetProtocols()) == 0 {
		return nil, invalid("the Bucket has no spec.protocols: name the protocol of the existing bucket %q", r.GetBucketId())
	}
	v, err := valuesOf(ctx, r.GetParameters(), addressParameters)
	if err != nil {
		return nil, err
	}
	info := &bucketInfo{}
	for _, asked := range r.GetProtocols() {
		one, err := protocolOf(asked)
		if err != nil {
			return nil, err
		}
		if err := one.addBucket(info, r.GetBucketId(), v); err != nil {
			return nil, err
		}
	}
	return &cosiv1alpha2.DriverGetBucketResponse{Protocols: info}, nil
}

// DriverDeleteBucket implements the Provisioner service. COSI never deletes an existing bucket, and there is no other.
func (*Driver) DriverDeleteBucket(
	_ context.Context, r *cosiv1alpha2.DriverDeleteBucketRequest,
) (*cosiv1alpha2.DriverDeleteBucketResponse, error) {
	if r.GetBucketId() == "" {
		return nil, invalid("bucket_id is empty")
	}
	return &cosiv1alpha2.DriverDeleteBucketResponse{}, nil
}
