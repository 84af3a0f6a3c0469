package authentication

import (
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/s3error"
)

// maxExpires is the maximum validity of a presigned URL, in seconds.
const maxExpires = 7 * 24 * 60 * 60

// parsePresigned reads the signature in the query of a presigned URL.
func parsePresigned(header http.Header, query url.Values) (Signature, error) {
	signed := Signature{Presigned: true}
	if err := checkPresigned(header, query, signed); err != nil {
		return signed, err
	}
	signed.token = query.Get(securityToken)
	if signed.token == "" {
		signed.token = header.Get(securityToken)
	}
	signed, err := parseAuthorization(query.Get("X-Amz-Algorithm")+" Credential="+query.Get("X-Amz-Credential")+
		", SignedHeaders="+query.Get("X-Amz-SignedHeaders")+", Signature="+query.Get("X-Amz-Signature"), signed)
	if err != nil {
		return signed, err
	}
	signed.Time, err = time.Parse(timeFormat, query.Get("X-Amz-Date"))
	if err != nil {
		return signed, signed.Malformed("X-Amz-Date must be in the ISO8601 Long Format \"yyyyMMdd'T'HHmmss'Z'\"")
	}
	seconds, err := strconv.Atoi(query.Get("X-Amz-Expires"))
	switch {
	case err != nil || seconds < 1:
		return signed, signed.Malformed("X-Amz-Expires must be a number of seconds, and at least 1")
	case seconds > maxExpires:
		return signed, signed.Malformed("X-Amz-Expires must be less than a week (in seconds); that is 604800")
	}
	signed.expires = time.Duration(seconds) * time.Second
	return signed, nil
}

// checkPresigned checks that all parameters of a presigned URL are given exactly once.
func checkPresigned(header http.Header, query url.Values, signed Signature) error {
	for _, name := range []string{"Algorithm", "Credential", "SignedHeaders", "Signature", "Date", "Expires"} {
		if values := query["X-Amz-"+name]; len(values) != 1 || values[0] == "" {
			return signed.Malformed("Query-string authentication version 4 requires the X-Amz-Algorithm, X-Amz-Credential, " +
				"X-Amz-Signature, X-Amz-Date, X-Amz-SignedHeaders, and X-Amz-Expires parameters, once each.")
		}
	}
	tokens := append(header.Values(securityToken), query[securityToken]...)
	hashes := query["X-Amz-Content-Sha256"]
	switch {
	case query.Get("X-Amz-Algorithm") != algorithm:
		return signed.Malformed("X-Amz-Algorithm only supports \"" + algorithm + "\"")
	case len(tokens) > 1:
		return s3error.ErrInvalidArgument.With("The security token is given more than once")
	case len(hashes) > 1 || (len(hashes) == 1 && hashes[0] != UnsignedPayload):
		// The bodies of presigned requests are unsigned.
		return s3error.ErrNotImplemented.With("X-Amz-Content-Sha256 of a presigned request must be " + UnsignedPayload)
	}
	return nil
}
