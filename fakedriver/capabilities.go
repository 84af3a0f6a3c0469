package fakedriver

import (
	"slices"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

// grants reads the buckets of a request, and rejects capabilities that the driver's options
// exclude.
func (d *Driver) grants(buckets []*cosiv1alpha2.DriverGrantBucketAccessRequest_AccessedBucket) ([]Grant, error) {
	grants, err := grantsOf(buckets)
	if err != nil {
		return nil, err
	}
	if d.options.SingleBucket && len(grants) > 1 {
		// The KEP reserves this code for this reason.
		return nil, status.Errorf(codes.OutOfRange, "%d buckets requested: the driver grants access to one bucket only", len(grants))
	}
	for _, grant := range grants {
		for _, mode := range []AccessMode{grant.ObjectData, grant.ObjectMetadata, grant.BucketMetadata} {
			if !d.supports(mode) {
				return nil, invalid("bucket %q: access mode %s is not supported: the driver supports %v", grant.Bucket, mode, d.options.AccessModes)
			}
		}
	}
	return grants, nil
}

func (d *Driver) supports(mode AccessMode) bool {
	return mode == NoAccess || d.options.AccessModes == nil || slices.Contains(d.options.AccessModes, mode)
}
