package authentication

import (
	"strconv"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3error"
)

const (
	// maxSkew is the maximum difference between the times of a request and the store.
	maxSkew = 15 * time.Minute
	// serverTime is the form of times in S3's errors.
	serverTime = "2006-01-02T15:04:05Z"
)

// checkTime rejects requests whose time differs too much from the store's, and expired
// ones.
func checkTime(signed Signature, now time.Time) error {
	age := now.Sub(signed.Time)
	switch {
	case !signed.Presigned && (age > maxSkew || age < -maxSkew):
		return s3error.ErrRequestTimeTooSkewed.
			About("RequestTime", signed.Time.Format(timeFormat)).
			About("ServerTime", now.Format(serverTime)).
			About("MaxAllowedSkewMilliseconds", strconv.FormatInt(maxSkew.Milliseconds(), 10))
	case signed.Presigned && age < -maxSkew:
		return s3error.ErrAccessDenied.With("Request is not yet valid").
			About("ServerTime", now.Format(serverTime))
	case signed.Presigned && age > signed.expires:
		return s3error.ErrAccessDenied.With("Request has expired").
			About("X-Amz-Expires", strconv.Itoa(int(signed.expires.Seconds()))).
			About("Expires", signed.Time.Add(signed.expires).Format(serverTime)).
			About("ServerTime", now.Format(serverTime))
	}
	return nil
}

// checkScope rejects signatures for another day or service. The caller checks the region, which
// depends on the bucket.
func checkScope(signed Signature) error {
	switch {
	case signed.scope.day != signed.Time.Format(dayFormat):
		return signed.Malformed("Invalid credential date \"" + signed.scope.day + "\". This date is not the same as X-Amz-Date: \"" +
			signed.Time.Format(dayFormat) + "\".")
	case signed.scope.service != "s3":
		return signed.Malformed("incorrect service \"" + signed.scope.service + "\". This endpoint belongs to \"s3\".")
	case signed.scope.terminator != "aws4_request":
		return signed.Malformed("incorrect terminal \"" + signed.scope.terminator + "\". This endpoint uses \"aws4_request\".")
	}
	return nil
}
