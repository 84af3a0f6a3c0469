package store

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/cosi-emu/cosi-emu/fakedriver"
)

const (
	sessionKeyPrefix = "ASIA" // Amazon's, for temporary keys
	// identityTimeout is how long it may take to find out whose a token is.
	identityTimeout = 10 * time.Second
)

// assume begins a session for the bearer of a token.
func (s *Store) assume(ctx context.Context, asked assumption) (*assumed, error) {
	account, err := s.webIdentity(ctx, asked)
	if err != nil {
		return nil, err
	}
	secret, err := newSecret(s.options.Rand)
	if err != nil {
		return nil, err
	}
	now := s.now()
	added := &session{
		account: account, accessKeyID: sessionKeyPrefix + rand.Text()[:accessKeyLength-len(sessionKeyPrefix)],
		secret: secret, token: rand.Text() + rand.Text(), expires: now.Add(asked.duration),
	}
	if !s.registry.begin(added, now) {
		return nil, errSTSDenied
	}
	return newAssumed(asked, added), nil
}

// webIdentity returns the account that a token is for. What the token is, is not
// looked into here.
func (s *Store) webIdentity(ctx context.Context, asked assumption) (string, error) {
	if s.options.WebIdentity == nil {
		return "", errSTSDenied
	}
	ctx, cancel := context.WithTimeout(ctx, identityTimeout)
	defer cancel()
	account, err := s.options.WebIdentity(ctx, asked.token, asked.role)
	switch {
	case errors.Is(err, ErrExpired):
		return "", errSTSExpired
	case errors.Is(err, ErrIdentity):
		return "", errSTSInvalidToken
	case errors.Is(err, fakedriver.ErrNotExist):
		return "", errSTSDenied
	case err != nil:
		s.options.Logger.Error(err, "a web identity could not be looked up")
		return "", errSTSCommunication
	}
	return account, nil
}
