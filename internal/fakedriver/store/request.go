package store

import (
	"net/http"
	"net/url"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/fakedriver/store/internal/checksum"
	"github.com/cosi-emu/cosi-emu/internal/fakedriver/store/internal/objects"
	"github.com/cosi-emu/cosi-emu/internal/fakedriver/store/internal/s3op"
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
	grant     fakedriver.Grant // what the principal may do with the bucket
	missing   bool             // the bucket does not exist, and may be known not to
	operation s3op.Operation
	source    copySource // of CopyObject
	body      []byte     // a document
	content   content    // of an object or a part

	uid        string             // of the bucket
	contents   *objects.Bucket    // what is in it
	conditions objects.Conditions // on which the request is to be answered
	version    *objects.Version   // that has been read or written
	byteRange  string             // of the version, as in the header Range; empty: all of it
	sent       checksum.Sum       // of what is sent of the version; zero: not known
	failure    error              // what the answer would not tell
	releases   []func()           // of what has been held for the request
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
	(*Store).delay,
	(*Store).checkRegion,
	(*Store).classify,
	(*Store).authorize,
	(*Store).readBody,
}

// hold has something released when the request has been answered.
func (x *exchange) hold(release func()) { x.releases = append(x.releases, release) }

func (x *exchange) end() {
	for _, release := range x.releases {
		release()
	}
}
