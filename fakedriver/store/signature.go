package store

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	rclone "github.com/rclone/gofakes3/signature"

	"github.com/cosi-emu/cosi-emu/fakedriver/store/internal/s3error"
)

const (
	algorithm  = "AWS4-HMAC-SHA256"
	timeFormat = "20060102T150405Z"
	dayFormat  = "20060102"
)

// signature is what a request says about how it was signed, not yet verified.
type signature struct {
	accessKeyID string
	scope       scope
	time        time.Time
	value       string // hexadecimal
	presigned   bool
	expires     time.Duration // of a presigned request
}

// scope is what a signature is good for.
type scope struct{ day, region, service, terminator string }

// parseSignature finds the signature in the header or in the query. Errors are
// *s3error.Error.
func parseSignature(r *http.Request, query url.Values) (signature, error) {
	header := r.Header.Get("Authorization")
	presigned := query.Has("X-Amz-Signature") || query.Has("X-Amz-Algorithm") || query.Has("X-Amz-Credential")
	switch {
	case len(r.Header.Values("Authorization")) > 1 || (header != "" && presigned):
		return signature{}, s3error.ErrInvalidArgument.With("Only one auth mechanism allowed")
	case strings.HasPrefix(header, "AWS ") || query.Has("AWSAccessKeyId"):
		return signature{}, s3error.ErrInvalidRequest.With("The authorization mechanism that you have provided is not supported. " +
			"Please use " + algorithm + ".")
	case r.Header.Get("X-Amz-Security-Token") != "" || query.Has("X-Amz-Security-Token"):
		return signature{}, s3error.ErrInvalidToken
	case header != "":
		return parseHeader(header, r.Header)
	case presigned:
		return parsePresigned(query)
	default:
		return signature{}, s3error.ErrAccessDenied
	}
}

func parseHeader(authorization string, header http.Header) (signature, error) {
	signed, err := parseAuthorization(authorization)
	if err != nil {
		return signed, err
	}
	if header.Get("X-Amz-Content-Sha256") == "" {
		return signed, s3error.ErrInvalidRequest.With("Missing required header for this request: x-amz-content-sha256")
	}
	signed.time, err = time.Parse(timeFormat, header.Get("X-Amz-Date"))
	if err != nil {
		return signed, s3error.ErrAccessDenied.With("AWS authentication requires a valid x-amz-date header")
	}
	return signed, nil
}

// parseAuthorization reads the three fields of the Authorization header. The
// library reads them first, and more strictly, so that the two never differ in
// what they find.
func parseAuthorization(authorization string) (signature, error) {
	parsed, code := rclone.ParseSignV4(authorization)
	if code != rclone.ErrNone {
		return signature{}, signature{}.malformed(rclone.GetAPIError(code))
	}
	fields := strings.ReplaceAll(strings.TrimPrefix(authorization, algorithm), " ", "")
	credential, _, _ := strings.Cut(strings.TrimPrefix(fields, "Credential="), ",")
	parts := strings.Split(credential, "/")
	last := parts[len(parts)-4:]
	return signature{
		accessKeyID: parsed.Credential.GetAccessKey(),
		scope:       scope{day: last[0], region: last[1], service: last[2], terminator: last[3]},
		value:       parsed.Signature,
	}, nil
}

// malformed returns the S3 error for one of the library's, some of which have
// codes that S3 does not.
func (g signature) malformed(found rclone.APIError) error {
	switch found.Code {
	case s3error.ErrInvalidAccessKeyID.Code:
		return s3error.ErrInvalidAccessKeyID
	case s3error.ErrSignatureDoesNotMatch.Code:
		return s3error.ErrSignatureDoesNotMatch
	case s3error.ErrAccessDenied.Code:
		return s3error.ErrAccessDenied.With(found.Description)
	}
	if g.presigned {
		return s3error.ErrAuthorizationQueryParametersError.With(found.Description)
	}
	return s3error.ErrAuthorizationHeaderMalformed.With(found.Description)
}
