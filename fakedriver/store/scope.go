package store

import (
	"github.com/cosi-emu/cosi-emu/fakedriver/store/internal/s3error"
)

// checkTime refuses requests from another time, and expired ones.
func (s *Store) checkTime(signed signature) error {
	age := s.options.Now().Sub(signed.time)
	switch {
	case !signed.presigned && (age > maxSkew || age < -maxSkew):
		return s3error.ErrRequestTimeTooSkewed
	case signed.presigned && age < -maxSkew:
		return s3error.ErrAccessDenied.With("Request is not yet valid")
	case signed.presigned && age > signed.expires:
		return s3error.ErrAccessDenied.With("Request has expired")
	}
	return nil
}

// checkScope refuses signatures that were made for another day, region or
// service.
func (s *Store) checkScope(signed signature) error {
	var wrong string
	switch {
	case signed.scope.day != signed.time.Format(dayFormat):
		wrong = "Invalid credential date. The date is not that of X-Amz-Date."
	case signed.scope.region != s.options.Region:
		wrong = "the region '" + signed.scope.region + "' is wrong; expecting '" + s.options.Region + "'"
	case signed.scope.service != "s3":
		wrong = "incorrect service. This endpoint belongs to \"s3\"."
	case signed.scope.terminator != "aws4_request":
		wrong = "incorrect terminal. This endpoint uses \"aws4_request\"."
	default:
		return nil
	}
	failure := s3error.ErrAuthorizationHeaderMalformed
	if signed.presigned {
		failure = s3error.ErrAuthorizationQueryParametersError
	}
	failure = failure.With(wrong)
	failure.Region = s.options.Region
	return failure
}
