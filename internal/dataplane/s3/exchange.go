package s3

import (
	"net/http"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3/authentication"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3/payload"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3/postform"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3/s3exchange"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3/s3op"
)

// exchange is one request on its way through the phases. Each phase adds its results.
type exchange struct {
	s3exchange.Request

	signature authentication.Signature
	level     s3op.Level
	grant     fakedriver.Grant // the caller's grant for the bucket
	form      *postform.Form   // nil: the request is no form
	file      *payload.File    // of the form
	missing   bool             // the bucket does not exist, and the caller may know it
}

// phase makes one decision about a request. Its error, an *s3error.Error, ends the request; any
// other error is an internal one.
type phase func(s *Service, x *exchange) error

func phasesOf(r *http.Request) []phase {
	if isPreflight(r) {
		return preflightPhases
	}
	return phases
}

// phases run in this order: nothing about a bucket is revealed before authentication and the check
// of the grant, and no body is read before authorization, except the fields of a form.
var phases = []phase{
	(*Service).parse,
	(*Service).authenticate,
	(*Service).hoist,
	(*Service).translate,
	(*Service).resolve,
	(*Service).checkPolicy,
	(*Service).reachBucket,
	(*Service).delay,
	(*Service).checkRegion,
	(*Service).classify,
	(*Service).authorize,
	(*Service).readBody,
	(*Service).perform,
}
