package store

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/cosi-emu/cosi-emu/fakedriver/store/internal/s3error"
)

// Names of what carries a session's token, in a header or in a presigned URL.
const securityToken = "X-Amz-Security-Token"

// parseSignature finds the signature in the header or in the query. Errors are
// *s3error.Error; the ways to authenticate that S3 has and the store has not are
// refused by name, so that nobody looks for a wrong secret.
func parseSignature(r *http.Request, query url.Values) (signature, error) {
	if err := checkSingle(r.Header); err != nil {
		return signature{}, err
	}
	header := r.Header.Get("Authorization")
	presigned := query.Has("X-Amz-Signature") || query.Has("X-Amz-Algorithm") || query.Has("X-Amz-Credential")
	older := query.Has("AWSAccessKeyId") || (query.Has("Signature") && query.Has("Expires"))
	switch {
	case len(r.Header.Values("Authorization")) > 1 || (header != "" && (presigned || older)) || (presigned && older):
		return signature{}, s3error.ErrInvalidArgument.With("Only one auth mechanism allowed; only the X-Amz-Algorithm query parameter, " +
			"Signature query string parameter or the Authorization header should be specified")
	case older || strings.HasPrefix(header, "AWS "):
		return signature{}, notSupported("Signature Version 2")
	case strings.HasPrefix(header, "AWS4-ECDSA-") || strings.HasPrefix(query.Get("X-Amz-Algorithm"), "AWS4-ECDSA-"):
		return signature{}, notSupported("Signature Version 4A")
	case presigned:
		return parsePresigned(r.Header, query)
	case header != "":
		return parseHeader(header, r.Header)
	case isForm(r):
		return signature{}, s3error.ErrNotImplemented.With("Uploads by an HTML form with a POST policy are not supported. " +
			"Please presign a PUT request instead.")
	default:
		return signature{}, s3error.ErrAccessDenied
	}
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
var repeatable = []string{"X-Amz-Trailer"}

// checkSingle refuses headers that are given twice. What is signed of them is
// their values with commas in between, so one signed header could be split into
// two, of which the first has another meaning.
func checkSingle(header http.Header) error {
	for name, values := range header {
		special := strings.HasPrefix(name, "X-Amz-") && !strings.HasPrefix(name, metadataPrefix) && !slices.Contains(repeatable, name)
		if len(values) > 1 && (special || name == "Content-Md5" || name == "Date") {
			return s3error.ErrInvalidArgument.With("The header " + strings.ToLower(name) + " is given more than once")
		}
	}
	return nil
}
