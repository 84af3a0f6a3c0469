package bridge

import (
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
)

// category is one of the three categories of access, with the mode that is wanted in it.
type category struct {
	name string
	mode cosiv1alpha2.AccessMode_Mode
}

// categoriesOf returns the categories in which a mode was asked for. ANY allows every mode.
func categoriesOf(bucket *accessedBucket) ([]category, error) {
	var asked []category
	for _, c := range []category{
		{"object data", bucket.GetObjectDataAccessMode().GetMode()},
		{"object metadata", bucket.GetObjectMetadataAccessMode().GetMode()},
		{"bucket metadata", bucket.GetBucketMetadataAccessMode().GetMode()},
	} {
		switch c.mode {
		case cosiv1alpha2.AccessMode_ANY:
		case cosiv1alpha2.AccessMode_READ_WRITE, cosiv1alpha2.AccessMode_READ_ONLY, cosiv1alpha2.AccessMode_WRITE_ONLY:
			asked = append(asked, c)
		default: // not only UNKNOWN: a later sidecar may have more modes
			return nil, status.Errorf(codes.InvalidArgument, "bucket %s: the access mode for %s is not known", bucket.GetBucketId(), c.name)
		}
	}
	return asked, nil
}

// requireReadWrite rejects other modes for a dialect that has none: its drivers grant
// read-write access.
func requireReadWrite(buckets []*accessedBucket, dialect dialects.Dialect) error {
	for _, bucket := range buckets {
		asked, err := categoriesOf(bucket)
		if err != nil {
			return err
		}
		for _, c := range asked {
			if c.mode != cosiv1alpha2.AccessMode_READ_WRITE {
				return status.Errorf(codes.InvalidArgument, "bucket %s: access mode %s for %s: a driver of %s grants only read-write access",
					bucket.GetBucketId(), c.mode, c.name, dialect.Protocol())
			}
		}
	}
	return nil
}

// accessedBuckets translates buckets for a dialect with at most one mode for a bucket. Without
// own, the result has no IDs.
func (d v1alpha2Driver) accessedBuckets(
	buckets []*accessedBucket, own []string,
) ([]*dialects.GrantBucketAccessRequest_AccessedBucket, error) {
	if d.dialect == dialects.NoModes {
		if err := requireReadWrite(buckets, d.dialect); err != nil {
			return nil, err
		}
	}
	translated := make([]*dialects.GrantBucketAccessRequest_AccessedBucket, len(buckets))
	for i, bucket := range buckets {
		translated[i] = &dialects.GrantBucketAccessRequest_AccessedBucket{AccessMode: &dialects.AccessMode{}}
		if d.dialect != dialects.NoModes {
			mode, err := d.oneMode(bucket)
			if err != nil {
				return nil, err
			}
			translated[i].AccessMode.Mode = mode
		}
		if own != nil {
			translated[i].BucketId = own[i]
		}
	}
	return translated, nil
}

// oneMode returns the mode of a bucket that is right in all categories. If none was asked for,
// it is the least.
func (d v1alpha2Driver) oneMode(bucket *accessedBucket) (dialects.AccessMode_Mode, error) {
	asked, err := categoriesOf(bucket)
	if err != nil {
		return 0, err
	}
	if len(asked) == 0 {
		return dialects.AccessMode_READ_ONLY, nil
	}
	for _, c := range asked[1:] {
		if c.mode != asked[0].mode {
			return 0, status.Errorf(codes.InvalidArgument, "bucket %s: access mode %s for %s and %s for %s: "+
				"a driver of %s has one mode for a bucket; ask for the same mode, or leave one out",
				bucket.GetBucketId(), asked[0].mode, asked[0].name, c.mode, c.name, d.dialect.Protocol())
		}
	}
	switch asked[0].mode {
	case cosiv1alpha2.AccessMode_READ_WRITE:
		return dialects.AccessMode_READ_WRITE, nil
	case cosiv1alpha2.AccessMode_WRITE_ONLY:
		return dialects.AccessMode_WRITE_ONLY, nil
	default:
		return dialects.AccessMode_READ_ONLY, nil
	}
}
