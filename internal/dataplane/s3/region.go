package s3

import (
	"slices"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3/s3exchange"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3/s3op"
)

// checkRegion rejects requests that were signed for another region than the bucket's. It runs after
// the check of the grant, so that regions of other buckets are not disclosed. Clients find the
// correct region in the error, and in a header for responses without body.
func (s *Service) checkRegion(x *s3exchange.Exchange) error {
	expected := s.answers.RegionOf(x.Bucket)
	signed := x.Signature.Region
	if x.Dialect.Protocol != fakedriver.ProtocolS3 || signed == expected || (x.Level == s3op.Service && hasRegion(x, signed)) {
		return nil
	}
	if x.Level != s3op.Service {
		x.W.Header().Set("X-Amz-Bucket-Region", expected)
	}
	failure := x.Signature.Malformed("the region '" + signed + "' is wrong; expecting '" + expected + "'")
	failure.Region = expected
	return failure
}

// hasRegion reports whether the account has access to a bucket in a region.
func hasRegion(x *s3exchange.Exchange, region string) bool {
	return slices.ContainsFunc(x.Caller.Buckets(fakedriver.ProtocolS3), func(b fakedriver.Bucket) bool { return b.Region == region })
}
