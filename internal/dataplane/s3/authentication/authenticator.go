package authentication

import (
	"net/http"
	"net/url"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/s3error"
	"github.com/cosi-emu/cosi-emu/internal/sigv4"
	"github.com/cosi-emu/cosi-emu/internal/store/authorization"
)

// Authenticator verifies signatures with the keys of a registry.
type Authenticator struct {
	registry *authorization.Registry
	now      func() time.Time
}

// New returns an authenticator. now is the clock for the expiry of signatures and sessions.
func New(registry *authorization.Registry, now func() time.Time) *Authenticator {
	return &Authenticator{registry: registry, now: now}
}

// Authenticate returns the caller and the signature of a request. The caller of Authenticate checks
// the region, which depends on the bucket.
func (a *Authenticator) Authenticate(r *http.Request, query url.Values) (*authorization.Caller, Signature, error) {
	signed, err := parseSignature(r, query)
	if err != nil {
		return nil, signed, err
	}
	if err := checkTime(signed, a.now().UTC()); err != nil {
		return nil, signed, err
	}
	if err := checkScope(signed); err != nil {
		return nil, signed, err
	}
	caller, err := a.identify(signed)
	if err != nil {
		return nil, signed, err
	}
	if err := verify(r, query, &signed, caller); err != nil {
		return nil, signed, err
	}
	return caller, signed, nil
}

// identify looks up the key of a request. Keys of sessions are valid only with the session's token,
// and keys of accounts only without one.
func (a *Authenticator) identify(signed Signature) (*authorization.Caller, error) {
	caller, known := a.registry.Caller(signed.accessKeyID)
	if !known {
		return nil, s3error.ErrInvalidAccessKeyID.About("AWSAccessKeyId", signed.accessKeyID)
	}
	session := caller.Session()
	switch {
	case session != nil && signed.token == "":
		return nil, s3error.ErrInvalidAccessKeyID.About("AWSAccessKeyId", signed.accessKeyID)
	case session == nil && signed.token == "":
		return caller, nil
	case session == nil || !session.HasToken(signed.token):
		return nil, s3error.ErrInvalidToken
	case !a.now().Before(session.Expires):
		return nil, s3error.ErrExpiredToken
	}
	return caller, nil
}

func verify(r *http.Request, query url.Values, signed *Signature, caller *authorization.Caller) error {
	if err := checkSignedHeaders(r, signed.headers); err != nil {
		return err
	}
	payload := UnsignedPayload
	if !signed.Presigned {
		payload = r.Header.Get(payloadHash)
	}
	keys := caller.SigningKeys()
	scope := sigv4.Scope{Day: signed.scope.day, Region: signed.Region}
	key := keys.Get(caller.Secret(), scope)
	want := key.SignRequest(sigv4.Request{R: r, Query: query, SignedHeaders: signed.headers, Payload: payload}, signed.Time, scope)
	if !want.Equal(signed.Value) {
		return s3error.ErrSignatureDoesNotMatch.About("AWSAccessKeyId", signed.accessKeyID).About("SignatureProvided", signed.Value)
	}
	keys.Keep(scope, key)
	signed.Key = key
	return nil
}
