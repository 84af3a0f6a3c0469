package authentication

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/cosi-emu/cosi-emu/internal/s3error"
)

// Names of a session's token, in a header or in a presigned URL.
const securityToken = "X-Amz-Security-Token" //nolint:gosec // not a token, but where it is

// parseSignature finds the signature in the header or in the query. It rejects unsupported
// mechanisms of S3 by name.
func parseSignature(r *http.Request, query url.Values) (Signature, error) {
	if err := checkSingle(r.Header); err != nil {
		return Signature{}, err
	}
	if err := checkMechanism(r.Header.Values("Authorization"), query); err != nil {
		return Signature{}, err
	}
	header := r.Header.Get("Authorization")
	switch {
	case isPresigned(query):
		return parsePresigned(r.Header, query)
	case header != "":
		return parseHeader(header, r.Header)
	default:
		return Signature{}, s3error.ErrAccessDenied
	}
}

func isPresigned(query url.Values) bool {
	return query.Has("X-Amz-Signature") || query.Has("X-Amz-Algorithm") || query.Has("X-Amz-Credential")
}

func isPresignedV2(query url.Values) bool {
	return query.Has("AWSAccessKeyId") || (query.Has("Signature") && query.Has("Expires"))
}

// IsSigned reports whether a request has a signature in its header or in its URL.
func IsSigned(r *http.Request, query url.Values) bool {
	return r.Header.Get("Authorization") != "" || isPresigned(query) || isPresignedV2(query)
}

// checkMechanism rejects requests with more than one mechanism, and those with another than
// Signature Version 4.
func checkMechanism(headers []string, query url.Values) error {
	presigned, older := isPresigned(query), isPresignedV2(query)
	if len(headers) > 1 || (len(headers) == 1 && (presigned || older)) || (presigned && older) {
		return s3error.ErrInvalidArgument.With("Only one auth mechanism allowed; only the X-Amz-Algorithm query parameter, " +
			"Signature query string parameter or the Authorization header should be specified")
	}
	stated := strings.Join(headers, "") + query.Get("X-Amz-Algorithm")
	switch {
	case strings.HasPrefix(stated, "AWS ") && !strings.Contains(stated, ":"):
		return s3error.ErrInvalidArgument.With("AWS authorization header is invalid.  Expected AwsAccessKeyId:signature").
			About("ArgumentName", "Authorization")
	case older || strings.HasPrefix(stated, "AWS "):
		return notSupported("Signature Version 2")
	case strings.HasPrefix(stated, "AWS4-ECDSA-"):
		return notSupported("Signature Version 4A")
	}
	return nil
}

func notSupported(what string) error {
	return s3error.ErrInvalidRequest.With("The authorization mechanism that you have provided is not supported. It is " + what +
		"; please use " + algorithm + ".")
}

// repeatable are X-Amz- headers that may be repeated, besides user metadata.
var repeatable = []string{"X-Amz-Object-Attributes", "X-Amz-Optional-Object-Attributes", "X-Amz-Trailer"}

// checkSingle rejects repeated headers. The signature covers their values joined with commas, so a
// signed header could be split into two, of which the first has another meaning.
func checkSingle(header http.Header) error {
	for name, values := range header {
		special := strings.HasPrefix(name, "X-Amz-") && !strings.HasPrefix(name, "X-Amz-Meta-") && !slices.Contains(repeatable, name)
		if len(values) > 1 && (special || name == "Content-Md5" || name == "Date") {
			return s3error.ErrInvalidArgument.With("The header " + strings.ToLower(name) + " is given more than once")
		}
	}
	return nil
}
