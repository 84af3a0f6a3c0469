package authentication

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"slices"
	"strings"
	"time"

	rclone "github.com/rclone/gofakes3/signature"

	"github.com/cosi-emu/cosi-emu/internal/fakedriver/s3error"
)

// UnsignedPayload is the value of X-Amz-Content-Sha256 for a body that is not part
// of what is signed.
const UnsignedPayload = "UNSIGNED-PAYLOAD"

const (
	algorithm  = "AWS4-HMAC-SHA256"
	timeFormat = "20060102T150405Z"
	dayFormat  = "20060102"
)

// Signature has the unverified signature of a request.
type Signature struct {
	Time time.Time
	// Value is hexadecimal.
	Value string
	// Region is the one that the request was signed for.
	Region string
	// Presigned is whether the signature is in the URL.
	Presigned bool

	inForm      bool
	accessKeyID string
	token       string // of a session; empty without one
	scope       scope
	expires     time.Duration // of a presigned request
}

// scope is the scope of a signature, without its region.
type scope struct{ day, service, terminator string }

func parseHeader(authorization string, header http.Header) (Signature, error) {
	if !strings.HasPrefix(authorization, algorithm+" ") {
		return Signature{}, s3error.ErrInvalidArgument.With("Unsupported Authorization Type").About("ArgumentName", "Authorization")
	}
	signed, err := parseAuthorization(authorization, Signature{token: header.Get(securityToken)})
	if err != nil {
		return signed, err
	}
	if err := checkPayloadHash(header.Get("X-Amz-Content-Sha256")); err != nil {
		return signed, err
	}
	signed.Time, err = time.Parse(timeFormat, header.Get("X-Amz-Date"))
	if err != nil {
		return signed, s3error.ErrAccessDenied.With("AWS authentication requires a valid Date or x-amz-date header")
	}
	return signed, nil
}

func checkPayloadHash(value string) error {
	switch {
	case value == "":
		return s3error.ErrInvalidRequest.With("Missing required header for this request: x-amz-content-sha256")
	case value != UnsignedPayload && !isDigest(value) && !isStreaming(value):
		return s3error.ErrInvalidArgument.With("x-amz-content-sha256 must be UNSIGNED-PAYLOAD, STREAMING-UNSIGNED-PAYLOAD-TRAILER, "+
			"STREAMING-AWS4-HMAC-SHA256-PAYLOAD, STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER, or a valid sha256 value.").
			About("ArgumentName", "x-amz-content-sha256")
	}
	return nil
}

// isDigest reports whether a value is a SHA-256 digest, in hexadecimal.
func isDigest(value string) bool {
	return len(value) == hex.EncodedLen(sha256.Size) && strings.Trim(value, "0123456789abcdefABCDEF") == ""
}

// isStreaming reports whether a value can be the name of a kind of streaming upload.
func isStreaming(value string) bool {
	kind, ok := strings.CutPrefix(value, "STREAMING-")
	return ok && kind != "" && strings.Trim(kind, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-") == ""
}

// parseAuthorization adds the three fields of the Authorization header. The library
// parses them first, and more strictly, so both find the same values.
func parseAuthorization(authorization string, signed Signature) (Signature, error) {
	parsed, code := rclone.ParseSignV4(authorization)
	if code != rclone.ErrNone {
		found := rclone.GetAPIError(code)
		if found.Code == s3error.ErrInvalidAccessKeyID.Code {
			return signed, s3error.ErrInvalidAccessKeyID
		}
		return signed, signed.Malformed(found.Description)
	}
	slices.Sort(parsed.SignedHeaders)
	if len(slices.Compact(parsed.SignedHeaders)) != len(parsed.SignedHeaders) {
		return signed, signed.Malformed("a header is signed more than once")
	}
	fields := strings.ReplaceAll(strings.TrimPrefix(authorization, algorithm), " ", "")
	credential, _, _ := strings.Cut(strings.TrimPrefix(fields, "Credential="), ",")
	parts := strings.Split(credential, "/")
	last := parts[len(parts)-4:]
	signed.accessKeyID = parsed.Credential.GetAccessKey()
	signed.Region = last[1]
	signed.scope = scope{day: last[0], service: last[2], terminator: last[3]}
	signed.Value = parsed.Signature
	return signed, nil
}

// failure returns the S3 error for an error of the library, some of whose codes S3
// does not have.
func (g Signature) failure(found rclone.APIError) error {
	switch found.Code {
	case s3error.ErrInvalidAccessKeyID.Code:
		return s3error.ErrInvalidAccessKeyID.About("AWSAccessKeyId", g.accessKeyID)
	case s3error.ErrSignatureDoesNotMatch.Code:
		return s3error.ErrSignatureDoesNotMatch.About("AWSAccessKeyId", g.accessKeyID).About("SignatureProvided", g.Value)
	case s3error.ErrAccessDenied.Code:
		return s3error.ErrAccessDenied.With(found.Description)
	}
	return g.Malformed(found.Description)
}

// Malformed returns the error for a malformed signature.
func (g Signature) Malformed(message string) *s3error.Error {
	if g.inForm {
		return s3error.ErrInvalidArgument.With(message)
	}
	if g.Presigned {
		return s3error.ErrAuthorizationQueryParametersError.With(message)
	}
	return s3error.ErrAuthorizationHeaderMalformed.With(message)
}
