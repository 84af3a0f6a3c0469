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

// grantsOf reads the buckets of a request, in any order.
func grantsOf(buckets []*cosiv1alpha2.DriverGrantBucketAccessRequest_AccessedBucket) ([]Grant, error) {
	if len(buckets) == 0 {
		return nil, invalid("buckets is empty: access is always to at least one bucket")
	}
	seen := map[string]bool{}
	grants := make([]Grant, 0, len(buckets))
	for _, bucket := range buckets {
		grant, err := grantOf(bucket)
		if err != nil {
			return nil, err
		}
		if seen[grant.Bucket] {
			return nil, invalid("bucket %q is listed twice", grant.Bucket)
		}
		seen[grant.Bucket] = true
		grants = append(grants, grant)
	}
	return grants, nil
}

func grantOf(bucket *cosiv1alpha2.DriverGrantBucketAccessRequest_AccessedBucket) (Grant, error) {
	grant := Grant{Bucket: bucket.GetBucketId()}
	if err := checkBucketID(grant.Bucket); err != nil {
		return grant, err
	}
	for _, category := range []struct {
		field string
		mode  *cosiv1alpha2.AccessMode
		into  *AccessMode
	}{
		{"object_data_access_mode", bucket.GetObjectDataAccessMode(), &grant.ObjectData},
		{"object_metadata_access_mode", bucket.GetObjectMetadataAccessMode(), &grant.ObjectMetadata},
		{"bucket_metadata_access_mode", bucket.GetBucketMetadataAccessMode(), &grant.BucketMetadata},
	} {
		mode, err := modeOf(category.mode)
		if err != nil {
			return grant, invalid("bucket %q: %s %s is not valid: ANY, READ_WRITE, READ_ONLY and WRITE_ONLY are",
				grant.Bucket, category.field, category.mode.GetMode())
		}
		*category.into = mode
	}
	return grant, nil
}

// modeOf reads one mode. ANY means that the user requested nothing, and gives nothing: the KEP
// leaves the choice to drivers and recommends the least.
func modeOf(mode *cosiv1alpha2.AccessMode) (AccessMode, error) {
	switch mode.GetMode() {
	case cosiv1alpha2.AccessMode_ANY:
		return NoAccess, nil
	case cosiv1alpha2.AccessMode_READ_WRITE:
		return ReadWrite, nil
	case cosiv1alpha2.AccessMode_READ_ONLY:
		return ReadOnly, nil
	case cosiv1alpha2.AccessMode_WRITE_ONLY:
		return WriteOnly, nil
	default:
		return NoAccess, ErrInvalid
	}
}
