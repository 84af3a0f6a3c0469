package store

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"slices"
	"strings"
	"time"

	rclone "github.com/rclone/gofakes3/signature"

	"github.com/cosi-emu/cosi-emu/internal/fakedriver/store/internal/s3error"
)

const (
	algorithm  = "AWS4-HMAC-SHA256"
	timeFormat = "20060102T150405Z"
	dayFormat  = "20060102"
)

// signature is what a request says about how it was signed, not yet verified.
type signature struct {
	accessKeyID string
	token       string // of a session; empty without one
	scope       scope
	time        time.Time
	value       string // hexadecimal
	presigned   bool
	expires     time.Duration // of a presigned request
}

// scope is what a signature is good for.
type scope struct{ day, region, service, terminator string }

func parseHeader(authorization string, header http.Header) (signature, error) {
	if !strings.HasPrefix(authorization, algorithm+" ") {
		return signature{}, s3error.ErrInvalidArgument.With("Unsupported Authorization Type").About("ArgumentName", "Authorization")
	}
	signed, err := parseAuthorization(authorization, signature{token: header.Get(securityToken)})
	if err != nil {
		return signed, err
	}
	if err := checkPayloadHash(header.Get("X-Amz-Content-Sha256")); err != nil {
		return signed, err
	}
	signed.time, err = time.Parse(timeFormat, header.Get("X-Amz-Date"))
	if err != nil {
		return signed, s3error.ErrAccessDenied.With("AWS authentication requires a valid Date or x-amz-date header")
	}
	return signed, nil
}

func checkPayloadHash(value string) error {
	switch {
	case value == "":
		return s3error.ErrInvalidRequest.With("Missing required header for this request: x-amz-content-sha256")
	case value != unsignedPayload && !isDigest(value) && !isStreaming(value):
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

// parseAuthorization adds the three fields of the Authorization header. The
// library reads them first, and more strictly, so that the two never differ in
// what they find.
func parseAuthorization(authorization string, signed signature) (signature, error) {
	parsed, code := rclone.ParseSignV4(authorization)
	if code != rclone.ErrNone {
		found := rclone.GetAPIError(code)
		if found.Code == s3error.ErrInvalidAccessKeyID.Code {
			return signed, s3error.ErrInvalidAccessKeyID
		}
		return signed, signed.malformed(found.Description)
	}
	slices.Sort(parsed.SignedHeaders)
	if len(slices.Compact(parsed.SignedHeaders)) != len(parsed.SignedHeaders) {
		return signed, signed.malformed("a header is signed more than once")
	}
	fields := strings.ReplaceAll(strings.TrimPrefix(authorization, algorithm), " ", "")
	credential, _, _ := strings.Cut(strings.TrimPrefix(fields, "Credential="), ",")
	parts := strings.Split(credential, "/")
	last := parts[len(parts)-4:]
	signed.accessKeyID = parsed.Credential.GetAccessKey()
	signed.scope = scope{day: last[0], region: last[1], service: last[2], terminator: last[3]}
	signed.value = parsed.Signature
	return signed, nil
}

// failure returns the S3 error for one of the library's, some of which have
// codes that S3 does not.
func (g signature) failure(found rclone.APIError) error {
	switch found.Code {
	case s3error.ErrInvalidAccessKeyID.Code:
		return s3error.ErrInvalidAccessKeyID.About("AWSAccessKeyId", g.accessKeyID)
	case s3error.ErrSignatureDoesNotMatch.Code:
		return s3error.ErrSignatureDoesNotMatch.About("AWSAccessKeyId", g.accessKeyID).About("SignatureProvided", g.value)
	case s3error.ErrAccessDenied.Code:
		return s3error.ErrAccessDenied.With(found.Description)
	}
	return g.malformed(found.Description)
}

// malformed returns the error for a signature that is not as it should be.
func (g signature) malformed(message string) *s3error.Error {
	if g.presigned {
		return s3error.ErrAuthorizationQueryParametersError.With(message)
	}
	return s3error.ErrAuthorizationHeaderMalformed.With(message)
}
