package store

import (
	"strconv"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/fakedriver/store/internal/s3error"
)

const (
	// maxSkew is how far the time of a request may be from the store's.
	maxSkew = 15 * time.Minute
	// serverTime is how S3's errors write times.
	serverTime = "2006-01-02T15:04:05Z"
)

// checkTime refuses requests from another time, and expired ones.
func (s *Store) checkTime(signed signature) error {
	now := s.options.Now().UTC()
	age := now.Sub(signed.time)
	switch {
	case !signed.presigned && (age > maxSkew || age < -maxSkew):
		return s3error.ErrRequestTimeTooSkewed.
			About("RequestTime", signed.time.Format(timeFormat)).
			About("ServerTime", now.Format(serverTime)).
			About("MaxAllowedSkewMilliseconds", strconv.FormatInt(maxSkew.Milliseconds(), 10))
	case signed.presigned && age < -maxSkew:
		return s3error.ErrAccessDenied.With("Request is not yet valid").
			About("ServerTime", now.Format(serverTime))
	case signed.presigned && age > signed.expires:
		return s3error.ErrAccessDenied.With("Request has expired").
			About("X-Amz-Expires", strconv.Itoa(int(signed.expires.Seconds()))).
			About("Expires", signed.time.Add(signed.expires).Format(serverTime)).
			About("ServerTime", now.Format(serverTime))
	}
	return nil
}

// checkScope refuses signatures that were made for another day or service. Which
// region is right depends on the bucket; see checkRegion.
func checkScope(signed signature) error {
	switch {
	case signed.scope.day != signed.time.Format(dayFormat):
		return signed.malformed("Invalid credential date \"" + signed.scope.day + "\". This date is not the same as X-Amz-Date: \"" +
			signed.time.Format(dayFormat) + "\".")
	case signed.scope.service != "s3":
		return signed.malformed("incorrect service \"" + signed.scope.service + "\". This endpoint belongs to \"s3\".")
	case signed.scope.terminator != "aws4_request":
		return signed.malformed("incorrect terminal \"" + signed.scope.terminator + "\". This endpoint uses \"aws4_request\".")
	}
	return nil
}
