package store

import (
	"slices"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/fakedriver/store/internal/s3op"
)

// checkRegion refuses requests that were signed for another region than the
// bucket's. It comes after it is known that the bucket is within reach: where
// other buckets are is nobody's business. Clients that look for the bucket's
// region find it in the error, and in a header for answers without body.
func (s *Store) checkRegion(x *exchange) error {
	expected := s.regionOf(x.bucket)
	signed := x.signature.scope.region
	if signed == expected || (x.level == s3op.Service && s.hasRegion(x.principal, signed)) {
		return nil
	}
	if x.level != s3op.Service {
		x.w.Header().Set("X-Amz-Bucket-Region", expected)
	}
	failure := x.signature.malformed("the region '" + signed + "' is wrong; expecting '" + expected + "'")
	failure.Region = expected
	return failure
}

// regionOf returns the region of a bucket, and the store's for one that does not
// exist or has none of its own.
func (s *Store) regionOf(bucket string) string {
	if b, ok := s.registry.bucket(bucket); ok && b.Region != "" {
		return b.Region
	}
	return s.options.Region
}

// hasRegion reports whether the account reaches a bucket in a region.
func (s *Store) hasRegion(p *principal, region string) bool {
	return slices.ContainsFunc(s.registry.allBuckets(), func(b fakedriver.Bucket) bool {
		_, granted, _ := s.registry.grant(p, b.Name)
		return granted && b.Region == region
	})
}
