package store

import (
	"net/url"
	"strconv"
	"time"

	"github.com/cosi-emu/cosi-emu/fakedriver/store/internal/s3error"
)

// maxExpires is how long a presigned URL may be good for, in seconds.
const maxExpires = 7 * 24 * 60 * 60

// parsePresigned reads the signature in the query of a presigned URL.
func parsePresigned(query url.Values) (signature, error) {
	for _, name := range []string{"Algorithm", "Credential", "SignedHeaders", "Signature", "Date", "Expires"} {
		if values := query["X-Amz-"+name]; len(values) != 1 || values[0] == "" {
			return signature{}, s3error.ErrAuthorizationQueryParametersError.With("Query-string authentication version 4 requires " +
				"the X-Amz-Algorithm, X-Amz-Credential, X-Amz-Signature, X-Amz-Date, X-Amz-SignedHeaders, and X-Amz-Expires parameters, once each.")
		}
	}
	signed, err := parseAuthorization(query.Get("X-Amz-Algorithm") + " Credential=" + query.Get("X-Amz-Credential") +
		", SignedHeaders=" + query.Get("X-Amz-SignedHeaders") + ", Signature=" + query.Get("X-Amz-Signature"))
	if err != nil {
		return signed, err
	}
	signed.presigned = true
	signed.time, err = time.Parse(timeFormat, query.Get("X-Amz-Date"))
	if err != nil {
		return signed, s3error.ErrAuthorizationQueryParametersError.With("X-Amz-Date must be in the ISO8601 Long Format \"yyyyMMdd'T'HHmmss'Z'\"")
	}
	seconds, err := strconv.Atoi(query.Get("X-Amz-Expires"))
	if err != nil || seconds < 1 || seconds > maxExpires {
		return signed, s3error.ErrAuthorizationQueryParametersError.With("X-Amz-Expires must be in seconds, from 1 to 604800 (a week)")
	}
	signed.expires = time.Duration(seconds) * time.Second
	return signed, nil
}
