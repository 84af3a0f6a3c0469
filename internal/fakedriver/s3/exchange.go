package s3

import (
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/fakedriver/s3/answers"
	"github.com/cosi-emu/cosi-emu/internal/fakedriver/s3/authentication"
	"github.com/cosi-emu/cosi-emu/internal/fakedriver/s3/s3op"
)

// exchange is one request on its way through the phases, each of which adds what
// it has found out.
type exchange struct {
	answers.Request

	signature authentication.Signature
	level     s3op.Level
	grant     fakedriver.Grant // what the caller may do with the bucket
	missing   bool             // the bucket does not exist, and the caller may know
}

// phase decides one thing about a request. Its error, an *s3error.Error, ends
// the request; anything else is an internal error.
type phase func(s *Service, x *exchange) error

// phases run in this order: nothing is said about a bucket before it is known
// who asks and whether the bucket is within reach, and nothing is read before it
// is known that it may be.
var phases = []phase{
	(*Service).parse,
	(*Service).authenticate,
	(*Service).resolve,
	(*Service).reachBucket,
	(*Service).delay,
	(*Service).checkRegion,
	(*Service).classify,
	(*Service).authorize,
	(*Service).readBody,
	(*Service).perform,
}
