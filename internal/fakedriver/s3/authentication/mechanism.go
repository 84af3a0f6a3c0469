package authentication

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/cosi-emu/cosi-emu/internal/fakedriver/s3error"
)

// Names of what carries a session's token, in a header or in a presigned URL.
const securityToken = "X-Amz-Security-Token" //nolint:gosec // not a token, but where it is

// parseSignature finds the signature in the header or in the query. Errors are
// *s3error.Error; the ways to authenticate that S3 has and the store has not are
// refused by name, so that nobody looks for a wrong secret.
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
	case isForm(r):
		return Signature{}, s3error.ErrNotImplemented.With("Uploads by an HTML form with a POST policy are not supported. " +
			"Please presign a PUT request instead.")
	default:
		return Signature{}, s3error.ErrAccessDenied
	}
}

func isPresigned(query url.Values) bool {
	return query.Has("X-Amz-Signature") || query.Has("X-Amz-Algorithm") || query.Has("X-Amz-Credential")
}

// checkMechanism makes sure that there is at most one mechanism, and that it is
// Signature Version 4.
func checkMechanism(headers []string, query url.Values) error {
	presigned := isPresigned(query)
	older := query.Has("AWSAccessKeyId") || (query.Has("Signature") && query.Has("Expires"))
	if len(headers) > 1 || (len(headers) == 1 && (presigned || older)) || (presigned && older) {
		return s3error.ErrInvalidArgument.With("Only one auth mechanism allowed; only the X-Amz-Algorithm query parameter, " +
			"Signature query string parameter or the Authorization header should be specified")
	}
	stated := strings.Join(headers, "") + query.Get("X-Amz-Algorithm")
	switch {
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

func isForm(r *http.Request) bool {
	return r.Method == http.MethodPost && strings.HasPrefix(strings.ToLower(r.Header.Get("Content-Type")), "multipart/form-data")
}

// repeatable are the X-Amz- headers that lists may be split over, besides user
// metadata.
var repeatable = []string{"X-Amz-Object-Attributes", "X-Amz-Trailer"}

// checkSingle refuses headers that are given twice. What is signed of them is
// their values with commas in between, so one signed header could be split into
// two, of which the first has another meaning.
func checkSingle(header http.Header) error {
	for name, values := range header {
		special := strings.HasPrefix(name, "X-Amz-") && !strings.HasPrefix(name, "X-Amz-Meta-") && !slices.Contains(repeatable, name)
		if len(values) > 1 && (special || name == "Content-Md5" || name == "Date") {
			return s3error.ErrInvalidArgument.With("The header " + strings.ToLower(name) + " is given more than once")
		}
	}
	return nil
}
