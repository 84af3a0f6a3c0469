package authorization

import (
	"crypto/sha256"
	"crypto/subtle"
	"fmt"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/sigv4"
)

// Caller is the account of a request, with its own key or a session's. It is for one request.
type Caller struct {
	registry  *Registry
	principal *Principal
	secret    string
	session   *Session // nil: the account's own key
	entered   bool     // holds the account's gate
}

// Caller returns the caller with a key, an account's or a session's. It does not check that the
// request was signed with the key.
func (r *Registry) Caller(accessKeyID string) (*Caller, bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if p, ok := r.keys[accessKeyID]; ok {
		return &Caller{registry: r, principal: p, secret: p.Secret}, true
	}
	found, ok := r.sessions[accessKeyID]
	if !ok {
		return nil, false
	}
	return &Caller{registry: r, principal: r.accounts[found.Account], secret: found.Secret, session: found}, true
}

// Authenticate returns the caller with a key, for protocols whose clients send the secret. The
// comparison takes the same time for a wrong secret, a correct one, and an unknown key. The error
// is of kind ErrIdentity.
func (r *Registry) Authenticate(accessKeyID, secret string) (*Caller, error) {
	caller, known := r.Caller(accessKeyID)
	if !known {
		caller = &Caller{}
	}
	given, want := sha256.Sum256([]byte(secret)), sha256.Sum256([]byte(caller.secret))
	same := subtle.ConstantTimeCompare(given[:], want[:]) == 1
	if !known || !same || caller.session != nil || caller.secret == "" {
		return nil, fmt.Errorf("key %w", ErrIdentity)
	}
	return caller, nil
}

// Account returns the caller's account, which must not be changed.
func (c *Caller) Account() fakedriver.Account { return c.principal.Account }

// Secret returns the caller's secret for signatures.
func (c *Caller) Secret() string { return c.secret }

// SigningKeys returns the signing keys of the caller's secret. They end with the key: a rotation
// creates another record, and a revocation removes it.
func (c *Caller) SigningKeys() *sigv4.Keys {
	if c.session != nil {
		return &c.session.keys
	}
	return &c.principal.keys
}

// Session returns the session of the key, and nil for an account's own key.
func (c *Caller) Session() *Session { return c.session }

// Grant returns the caller's grant for a bucket of a protocol. The error is of kind ErrDenied
// without a grant, or fakedriver.ErrNotExist, beside the grant, if the granted bucket has been
// deleted.
func (c *Caller) Grant(protocol fakedriver.Protocol, bucket string) (fakedriver.Grant, error) {
	grant, granted, exists := c.registry.grant(protocol, c.principal, bucket)
	switch {
	case !granted:
		return grant, fmt.Errorf("access to bucket %q %w", bucket, ErrDenied)
	case !exists:
		return grant, fmt.Errorf("bucket %q %w", bucket, fakedriver.ErrNotExist)
	}
	return grant, nil
}

// Buckets returns the buckets of a protocol that the caller has a grant for,
// sorted by name.
func (c *Caller) Buckets(protocol fakedriver.Protocol) (all []fakedriver.Bucket) {
	for _, b := range c.registry.Buckets() {
		if _, granted, _ := c.registry.grant(protocol, c.principal, b.Name); granted {
			all = append(all, b)
		}
	}
	return all
}
