package authentication

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/s3error"
	"github.com/cosi-emu/cosi-emu/internal/sigv4"
)

// UnsignedPayload is the value of X-Amz-Content-Sha256 for a body that the signature does not
// cover.
const UnsignedPayload = "UNSIGNED-PAYLOAD"

const (
	algorithm  = sigv4.Algorithm
	timeFormat = sigv4.TimeFormat
	dayFormat  = sigv4.DayFormat

	amzPrefix   = "X-Amz-"
	payloadHash = "X-Amz-Content-Sha256"
)

// Signature is the signature of a request. It is verified if Authenticate returned no error.
type Signature struct {
	Time time.Time
	// Value is hexadecimal.
	Value string
	// Region is the region that the request was signed for.
	Region string
	// Presigned reports whether the signature is in the URL.
	Presigned bool
	// Key is the key of the signature.
	Key sigv4.Key

	inForm      bool
	accessKeyID string
	headers     string // names of the signed headers, in lower case, sorted, and separated by semicolons
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
	if err := checkPayloadHash(header.Get(payloadHash)); err != nil {
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

// isStreaming reports whether a value can name a kind of streaming upload.
func isStreaming(value string) bool {
	kind, ok := strings.CutPrefix(value, "STREAMING-")
	return ok && kind != "" && strings.Trim(kind, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-") == ""
}

// parseAuthorization adds the three fields of the Authorization header, or of the equivalent in a
// presigned URL.
func parseAuthorization(authorization string, signed Signature) (Signature, error) {
	rest := strings.TrimPrefix(authorization, algorithm)
	var fields [3]string
	for i, name := range [...]string{"Credential=", "SignedHeaders=", "Signature="} {
		field, after, more := strings.Cut(rest, ",")
		value, ok := strings.CutPrefix(strings.Trim(field, " "), name)
		if isLast := i == len(fields)-1; !ok || value == "" || strings.Contains(value, "=") || more == isLast {
			return signed, signed.Malformed("the signature must have the fields Credential, SignedHeaders and Signature, in this order")
		}
		fields[i], rest = value, after
	}
	signed.Value = fields[2]
	err := parseCredential(fields[0], &signed)
	if err == nil {
		err = parseHeaders(fields[1], &signed)
	}
	return signed, err
}

// parseCredential reads the access key and the scope. The key may have slashes.
func parseCredential(credential string, g *Signature) error {
	rest, key := credential, ""
	for _, part := range []*string{&g.scope.terminator, &g.scope.service, &g.Region, &g.scope.day} {
		i := strings.LastIndexByte(rest, '/')
		if i < 0 {
			return g.Malformed("the Credential is mal-formed; expecting \"<YOUR-AKID>/YYYYMMDD/REGION/SERVICE/aws4_request\"")
		}
		rest, *part = rest[:i], rest[i+1:]
		key = rest
	}
	g.accessKeyID = key
	return nil
}

// parseHeaders reads the names of the signed headers, which should be sorted and in lower case.
func parseHeaders(names string, g *Signature) error {
	previous := ""
	for name := range strings.SplitSeq(names, ";") {
		if name <= previous || strings.ToLower(name) != name {
			return sortHeaders(names, g)
		}
		previous = name
	}
	g.headers = names
	return nil
}

func sortHeaders(names string, g *Signature) error {
	given := strings.Split(names, ";")
	sorted := strings.Split(strings.ToLower(names), ";")
	slices.Sort(sorted)
	g.headers = strings.Join(sorted, ";")
	switch {
	case len(slices.Compact(sorted)) != len(given):
		return g.Malformed("a header is signed more than once")
	case !slices.Contains(given, "host"):
		return notSigned("host")
	}
	return nil
}

// checkSignedHeaders checks that the host and all headers of S3 are signed, and that all signed
// headers were sent.
func checkSignedHeaders(r *http.Request, names string) error {
	if !isSigned("Host", names) {
		return notSigned("host")
	}
	for name := range r.Header {
		if len(name) >= len(amzPrefix) && strings.EqualFold(name[:len(amzPrefix)], amzPrefix) && !isSigned(name, names) {
			return notSigned(strings.ToLower(name))
		}
	}
	for name := range strings.SplitSeq(names, ";") {
		if !sigv4.HasHeader(r, name) {
			return notSigned(name)
		}
	}
	return nil
}

// isSigned reports whether a header is among names in lower case.
func isSigned(header, names string) bool {
	for name := range strings.SplitSeq(names, ";") {
		if len(name) == len(header) && strings.EqualFold(name, header) {
			return true
		}
	}
	return false
}

func notSigned(header string) error {
	return s3error.ErrAccessDenied.With("There were headers present in the request which were not signed, or headers signed "+
		"which were not present").About("HeadersNotSigned", header)
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
