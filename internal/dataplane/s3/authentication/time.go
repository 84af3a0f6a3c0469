package authentication

import (
	"strconv"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/s3error"
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
