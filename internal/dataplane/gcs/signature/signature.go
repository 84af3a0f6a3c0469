// Package signature verifies the signatures of requests for the XML API: of version 4 in Google's form
// and in S3's, and of version 2.
package signature

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/gcs/failure"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3/authentication"
	"github.com/cosi-emu/cosi-emu/internal/s3error"
	"github.com/cosi-emu/cosi-emu/internal/sigv4"
	"github.com/cosi-emu/cosi-emu/internal/store"
	"github.com/cosi-emu/cosi-emu/internal/store/authorization"
)

// The headers that correspond to those of S3's signatures.
const (
	DateHeader = "X-Goog-Date"
	HashHeader = "X-Goog-Content-Sha256"
)

const (
	algorithm = sigv4.GoogleAlgorithm

	// maxSkew is the maximum difference between the times of request and service, and maxExpires
	// the maximum validity of a URL.
	maxSkew    = 15 * time.Minute
	maxExpires = 7 * 24 * time.Hour
)

// Verifier verifies the signatures of requests for a store.
type Verifier struct {
	store *store.Store
	s3    *authentication.Authenticator
	now   func() time.Time
}

// New returns a verifier with a clock.
func New(s *store.Store, now func() time.Time) *Verifier {
	return &Verifier{store: s, s3: authentication.New(s.Registry(), now), now: now}
}

// signed is an unverified signature of version 4.
type signed struct {
	keyID     string
	scope     sigv4.Scope
	headers   []string
	signature string
	at        time.Time
	inURL     bool
}

var errVersion2 = s3error.ErrNotImplemented.With("cosi-emu does not implement signed URLs of version 2; use version 4")

var errMalformed = s3error.ErrAuthorizationHeaderMalformed

// IsSigned reports whether a request has a signature of the XML API, in a header or in the URL.
func IsSigned(r *http.Request, query url.Values) bool {
	scheme, _, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	switch {
	case scheme == "GOOG1" || scheme == "AWS", strings.HasPrefix(scheme, "GOOG4-"), strings.HasPrefix(scheme, "AWS4-"):
		return true
	}
	return slices.ContainsFunc(ofSignatures, query.Has)
}

// ofSignatures are the parameters of which a signed URL has at least one.
var ofSignatures = []string{
	"X-Goog-Algorithm", "X-Goog-Signature", "X-Goog-Credential", "X-Amz-Algorithm", "X-Amz-Signature", "X-Amz-Credential",
	"GoogleAccessId", "AWSAccessKeyId", "Signature",
}

// Verify returns the caller and the signature of a request of the XML API. The signature has
// Google's form, or one of S3's forms that Google accepts, too.
func (v *Verifier) Verify(r *http.Request, query url.Values) (*authorization.Caller, authentication.Signature, error) {
	if err := checkSingle(r.Header, query); err != nil {
		return nil, authentication.Signature{}, err
	}
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	inURL := query.Has("X-Goog-Algorithm") || query.Has("X-Goog-Signature") || query.Has("X-Goog-Credential")
	switch {
	case inURL && (scheme != "" || query.Has("X-Amz-Algorithm")):
		return nil, authentication.Signature{}, s3error.ErrInvalidArgument.With("Only one way to authenticate is allowed")
	case inURL:
		return v.verify4(r, query, signed{inURL: true})
	case scheme == algorithm:
		return v.verify4(r, query, signed{headers: strings.Split(token, ",")})
	case scheme == "GOOG1", scheme == "AWS":
		return v.verify2(r, query, scheme, token)
	case query.Has("GoogleAccessId"):
		return nil, authentication.Signature{}, errVersion2
	}
	if err := checkSigned(r.Header, signedHeaders(token, query.Get("X-Amz-SignedHeaders")), "X-Goog-"); err != nil {
		return nil, authentication.Signature{}, err
	}
	return v.s3.Authenticate(r, query)
}

// signedHeaders returns the names of the signed headers of S3's signatures.
func signedHeaders(authorization, parameter string) []string {
	_, list, _ := strings.Cut(authorization, "SignedHeaders=")
	list, _, _ = strings.Cut(list, ",")
	return strings.Split(strings.TrimSpace(list)+";"+parameter, ";")
}

// checkSingle rejects duplicates, of which two parsers could read different values.
func checkSingle(header http.Header, query url.Values) error {
	for name, values := range header {
		special := strings.HasPrefix(name, "X-Goog-") && !strings.HasPrefix(name, MetadataPrefix) && name != "X-Goog-Hash"
		if len(values) > 1 && (special || name == "Authorization" || name == "Date") {
			return s3error.ErrInvalidArgument.With("The header " + strings.ToLower(name) + " is given more than once")
		}
	}
	for name, values := range query {
		if len(values) > 1 && strings.HasPrefix(name, "X-Goog-") {
			return s3error.ErrInvalidArgument.With("The parameter " + name + " is given more than once")
		}
	}
	return nil
}

// verify4 verifies a signature of version 4, with the parameters of a URL or of a header.
func (v *Verifier) verify4(r *http.Request, query url.Values, given signed) (*authorization.Caller, authentication.Signature, error) {
	found := authentication.Signature{Presigned: given.inURL}
	var err error
	if given.inURL {
		given, err = v.parseURL(query)
	} else {
		given, err = v.parseHeader(r.Header, given.headers)
	}
	if err != nil {
		return nil, found, err
	}
	for _, prefix := range []string{"X-Goog-", "X-Amz-"} {
		if err := checkSigned(r.Header, given.headers, prefix); err != nil {
			return nil, found, err
		}
	}
	caller, err := v.holder(given.keyID)
	if err != nil {
		return nil, found, err
	}
	keys := caller.SigningKeys()
	key := keys.Get(caller.Secret(), given.scope)
	if !given.matches(r, query, key) {
		return nil, found, s3error.ErrSignatureDoesNotMatch.With(mismatch)
	}
	keys.Keep(given.scope, key)
	found.Time, found.Value, found.Region, found.Key = given.at, given.signature, given.scope.Region, key
	return caller, found, nil
}

const mismatch = "The request signature we calculated does not match the signature you provided. Check your secret and signing method."

// holder returns the account with a key. Keys of sessions are for S3 only.
func (v *Verifier) holder(keyID string) (*authorization.Caller, error) {
	caller, err := v.store.Caller(keyID)
	switch {
	case err != nil && failure.Of(err) == failure.ErrUnavailable:
		return nil, s3error.ErrServiceUnavailable
	case err != nil, caller.Session() != nil, caller.Secret() == "":
		return nil, s3error.ErrInvalidAccessKeyID.With("The access ID that you provided does not exist in our records")
	}
	return caller, nil
}

func (v *Verifier) parseURL(query url.Values) (found signed, err error) {
	malformed := s3error.ErrAuthorizationQueryParametersError
	if name := query.Get("X-Goog-Algorithm"); name != algorithm {
		return found, malformed.With("X-Goog-Algorithm must be " + algorithm + ": cosi-emu has HMAC keys, and no service accounts")
	}
	found, err = parseScope(query.Get("X-Goog-Credential"), query.Get("X-Goog-Date"))
	if err != nil {
		return found, err
	}
	found.inURL, found.signature = true, query.Get("X-Goog-Signature")
	found.headers = strings.Split(query.Get("X-Goog-SignedHeaders"), ";")
	seconds, err := strconv.ParseInt(query.Get("X-Goog-Expires"), 10, 32)
	expires := time.Duration(seconds) * time.Second
	if err != nil || seconds < 1 || expires > maxExpires {
		return found, malformed.With("X-Goog-Expires must be a number of seconds from 1 to 604800")
	}
	switch age := v.now().Sub(found.at); {
	case age < -maxSkew:
		return found, s3error.ErrAccessDenied.With("The request is not valid yet")
	case age > expires:
		return found, s3error.ErrExpiredToken.With("The URL has expired at " + found.at.Add(expires).Format(time.RFC3339))
	}
	return found, found.checkHost()
}

func (v *Verifier) parseHeader(header http.Header, fields []string) (found signed, err error) {
	values := map[string]string{}
	for _, field := range fields {
		name, value, _ := strings.Cut(strings.TrimSpace(field), "=")
		if _, twice := values[name]; twice {
			return found, errMalformed.With("The field " + name + " of the header Authorization is given more than once")
		}
		values[name] = value
	}
	found, err = parseScope(values["Credential"], header.Get(DateHeader))
	if err != nil {
		return found, err
	}
	found.headers, found.signature = strings.Split(values["SignedHeaders"], ";"), values["Signature"]
	if age := v.now().Sub(found.at); age > maxSkew || age < -maxSkew {
		return found, s3error.ErrRequestTimeTooSkewed
	}
	return found, found.checkHost()
}

// parseScope reads ID/DAY/LOCATION/SERVICE/TERMINATOR, and the time of the signature.
func parseScope(credential, at string) (found signed, err error) {
	if found.at, err = time.Parse(sigv4.TimeFormat, at); err != nil {
		return found, errMalformed.With("The time of the request must be given as YYYYMMDD'T'HHMMSS'Z'")
	}
	parts := strings.Split(credential, "/")
	const day, location, count = 1, 2, 5
	if len(parts) != count || parts[0] == "" || parts[location] == "" {
		return found, errMalformed.With("The credential must be ACCESS_ID/DAY/LOCATION/storage/goog4_request")
	}
	found.keyID, found.scope = parts[0], sigv4.Scope{Day: parts[day], Region: parts[location], Scheme: sigv4.Google}
	switch {
	case found.scope.Day != found.at.Format(sigv4.DayFormat):
		return found, errMalformed.With("The day of the credential must be the day of the request")
	case credential != found.keyID+"/"+found.scope.String():
		return found, errMalformed.With("The credential must end with /storage/goog4_request")
	}
	return found, nil
}

func (s signed) checkHost() error {
	sorted := slices.IsSorted(s.headers) && len(slices.Compact(slices.Clone(s.headers))) == len(s.headers)
	if !sorted || !slices.Contains(s.headers, "host") {
		return errMalformed.With("The signed headers must be in lower case, sorted, and contain host")
	}
	return nil
}

// unsigned are headers without effect that proxies and libraries add.
var unsigned = []string{"X-Goog-Api-Client", "X-Goog-User-Project"}

// checkSigned rejects headers with a prefix that the signature does not cover.
func checkSigned(header http.Header, names []string, prefix string) error {
	for name := range header {
		if strings.HasPrefix(name, prefix) && !slices.Contains(names, strings.ToLower(name)) && !slices.Contains(unsigned, name) {
			return s3error.ErrAccessDenied.With("The header " + strings.ToLower(name) + " is not signed")
		}
	}
	return nil
}

// matches reports whether a key makes the signature. Clients escape paths differently; both forms
// mean the same path.
func (s signed) matches(r *http.Request, query url.Values, key sigv4.Key) bool {
	payload := r.Header.Get(HashHeader)
	if payload == "" {
		payload = authentication.UnsignedPayload
	}
	covered := sigv4.Request{R: r, Query: query, SignedHeaders: strings.Join(s.headers, ";"), Payload: payload}
	escaped := key.SignRequest(covered, s.at, s.scope)
	covered.Path = r.URL.EscapedPath()
	sent := key.SignRequest(covered, s.at, s.scope)
	return escaped.Equal(s.signature) || sent.Equal(s.signature)
}

// MetadataPrefix begins the headers with the metadata of an object.
const MetadataPrefix = "X-Goog-Meta-"
