package store

import (
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"sync"

	"github.com/cosi-emu/cosi-emu/fakedriver"
)

// Visitor is an account at the service of another protocol than S3, where clients
// prove who they are by sending the secret. It is for one request.
type Visitor struct {
	store    *Store
	protocol fakedriver.Protocol
	exchange exchange
}

// Visit finds the account that a key is of. Comparing takes as long for a wrong
// secret as for a right one, and for a key that nobody has. The error is of kind
// ErrIdentity, or ErrClosed.
func (s *Store) Visit(protocol fakedriver.Protocol, accessKeyID, secret string) (*Visitor, error) {
	if s.isClosed() {
		return nil, fakedriver.ErrClosed
	}
	who, known := s.registry.identity(accessKeyID)
	given, want := sha256.Sum256([]byte(secret)), sha256.Sum256([]byte(who.secret))
	same := subtle.ConstantTimeCompare(given[:], want[:]) == 1
	if !known || !same || who.session != nil || who.secret == "" {
		return nil, fmt.Errorf("key %w", ErrIdentity)
	}
	return &Visitor{store: s, protocol: protocol, exchange: exchange{identity: who}}, nil
}

// AccessKeyID returns the ID of the key that the visitor came with.
func (v *Visitor) AccessKeyID() string { return v.exchange.principal.account.AccessKeyID }

// Grant returns what the visitor may do with a bucket of the protocol. The error
// is of kind ErrDenied if that is nothing, of which nothing more is said, or
// ErrNotExist if the bucket that was granted is gone.
func (v *Visitor) Grant(bucket string) (fakedriver.Grant, error) {
	grant, granted, exists := v.store.registry.grantBy(v.protocol, v.exchange.principal, bucket)
	switch {
	case !granted:
		return fakedriver.Grant{}, fmt.Errorf("access to bucket %q %w", bucket, ErrDenied)
	case !exists:
		return fakedriver.Grant{}, notExist("bucket", bucket)
	}
	return grant, nil
}

// Enter takes a last look at the key, and makes whoever revokes it wait until
// leave is called, so that nothing is changed and no answer begins with a revoked
// key. What it is called before must not wait for the client. The error is of
// kind ErrIdentity if the key has been revoked.
func (v *Visitor) Enter() (leave func(), err error) {
	if err := v.store.enter(&v.exchange); err != nil {
		return nil, fmt.Errorf("key %w", ErrIdentity)
	}
	return sync.OnceFunc(v.exchange.leave), nil
}
