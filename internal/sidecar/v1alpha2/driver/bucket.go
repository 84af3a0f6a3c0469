package driver

import (
	"context"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/connection"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
)

// GenerateBucketID asks for the ID of a bucket to create. The ID is valid for
// Bucket.status.bucketID.
func (d *Driver) GenerateBucketID(ctx context.Context, bucket *v1alpha2.Bucket) (string, error) {
	ctx, parameters, err := d.WithSecret(ctx, bucket.Spec.Parameters)
	if err != nil {
		return "", err
	}
	request := &cosiv1alpha2.DriverGenerateBucketIdRequest{
		Name:       bucket.Name,
		Protocols:  wireProtocols(bucket.Spec.Protocols),
		Parameters: parameters,
	}
	response, err := connection.Call(ctx, d.Conn, generateBucketID, d.provisioner.DriverGenerateBucketId, request)
	if err != nil {
		return "", orDialect(err)
	}
	return response.GetBucketId(), checkID(generateBucketID, "bucket ID", response.GetBucketId())
}

// CreateBucket creates the bucket status.bucketID and returns its info for each protocol that it
// supports: all protocols of the spec, and at least one.
func (d *Driver) CreateBucket(ctx context.Context, bucket *v1alpha2.Bucket) (*cosiv1alpha2.ObjectProtocolAndBucketInfo, error) {
	ctx, parameters, err := d.WithSecret(ctx, bucket.Spec.Parameters)
	if err != nil {
		return nil, err
	}
	response, err := connection.Call(ctx, d.Conn, createBucket, d.provisioner.DriverCreateBucket, &cosiv1alpha2.DriverCreateBucketRequest{
		BucketId:   bucket.Status.BucketID,
		Protocols:  wireProtocols(bucket.Spec.Protocols),
		Parameters: parameters,
	})
	if err != nil {
		return nil, err
	}
	info := dialects.CreatedProtocols(response)
	return info, checkBucketInfo(createBucket, info, bucket.Spec.Protocols)
}

// GetBucket returns the same for the existing bucket spec.existingBucketID.
func (d *Driver) GetBucket(ctx context.Context, bucket *v1alpha2.Bucket) (*cosiv1alpha2.ObjectProtocolAndBucketInfo, error) {
	ctx, parameters, err := d.WithSecret(ctx, bucket.Spec.Parameters)
	if err != nil {
		return nil, err
	}
	response, err := connection.Call(ctx, d.Conn, getBucket, d.provisioner.DriverGetBucket, &cosiv1alpha2.DriverGetBucketRequest{
		BucketId:   bucket.Spec.ExistingBucketID,
		Protocols:  wireProtocols(bucket.Spec.Protocols),
		Parameters: parameters,
	})
	if err != nil {
		return nil, err
	}
	return response.GetProtocols(), checkBucketInfo(getBucket, response.GetProtocols(), bucket.Spec.Protocols)
}

// DeleteBucket deletes the bucket status.bucketID with its data. It also succeeds if
// the bucket does not exist any more.
func (d *Driver) DeleteBucket(ctx context.Context, bucket *v1alpha2.Bucket) error {
	ctx, parameters, err := d.WithSecretIfAny(ctx, bucket.Spec.Parameters)
	if err != nil {
		return err
	}
	_, err = connection.Call(ctx, d.Conn, deleteBucket, d.provisioner.DriverDeleteBucket, &cosiv1alpha2.DriverDeleteBucketRequest{
		BucketId:   bucket.Status.BucketID,
		Parameters: parameters,
	})
	return err
}
