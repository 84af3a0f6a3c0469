package store

import (
	"net/http"
	"net/url"

	"github.com/cosi-emu/cosi-emu/fakedriver/store/internal/s3op"
)

// exchange is one request on its way through the phases, each of which adds what
// it has found out.
type exchange struct {
	w  http.ResponseWriter
	r  *http.Request
	id string

	query     url.Values
	identity            // who
	signature signature // how it was signed
	entered   bool      // holds the account's gate
	bucket    string
	key       string
	level     s3op.Level
	grant     Grant // what the principal may do with the bucket
	missing   bool  // the bucket does not exist, and may be known not to
	operation s3op.Operation
	source    copySource // of CopyObject
	body      []byte
}

// phase decides one thing about a request. Its error, an *s3error.Error, ends
// the request; anything else is an internal error.
type phase func(s *Store, x *exchange) error

// phases run in this order: nothing is said about a bucket before it is known
// who asks and whether the bucket is within reach, and nothing is read before it
// is known that it may be.
var phases = []phase{
	(*Store).parse,
	(*Store).authenticate,
	(*Store).resolve,
	(*Store).reachBucket,
	(*Store).checkRegion,
	(*Store).classify,
	(*Store).authorize,
	(*Store).readBody,
	(*Store).checkDocument,
}
