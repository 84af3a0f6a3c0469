package store

import (
	"github.com/cosi-emu/cosi-emu/internal/fakedriver/store/internal/s3error"
)

// identity is whom a request is from.
type identity struct {
	principal *principal
	// secret is what the request is signed with: that of the account's key, or
	// that of a session.
	secret string
	// session is nil for the account's own key.
	session *session
}

// identify looks up the key of a request. Keys of sessions are good only with
// the session's token, and those of accounts only without one.
func (s *Store) identify(signed signature) (identity, error) {
	who, known := s.registry.identity(signed.accessKeyID)
	switch {
	case !known, who.session != nil && signed.token == "":
		return identity{}, s3error.ErrInvalidAccessKeyID.About("AWSAccessKeyId", signed.accessKeyID)
	case who.session == nil && signed.token == "":
		return who, nil
	case who.session == nil || !who.session.hasToken(signed.token):
		return identity{}, s3error.ErrInvalidToken
	case !s.options.Now().Before(who.session.expires):
		return identity{}, s3error.ErrExpiredToken
	}
	return who, nil
}

// identity returns whose key it is, an account's or a session's.
func (r *registry) identity(accessKeyID string) (identity, bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if p, ok := r.keys[accessKeyID]; ok {
		return identity{principal: p, secret: p.secret}, true
	}
	found, ok := r.sessions[accessKeyID]
	if !ok {
		return identity{}, false
	}
	return identity{principal: r.accounts[found.account], secret: found.secret, session: found}, true
}

// isLive reports whether requests of an identity may still be answered: its
// account exists, and has not got another key in the meantime.
func (r *registry) isLive(who identity) bool {
	current, live := r.current(who)
	return live && current == who.principal
}

// current returns the account of an identity as it is now, if the key is still
// good. A session's account may have changed in the meantime.
func (r *registry) current(who identity) (*principal, bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if who.session != nil {
		return r.accounts[who.session.account], r.sessions[who.session.accessKeyID] == who.session
	}
	p := who.principal
	return p, r.keys[p.account.AccessKeyID] == p
}
