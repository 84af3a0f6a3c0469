package sts

import (
	"context"
	"errors"
	"time"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/store/authorization"
)

// identityTimeout is the time limit for the lookup of a token's account.
const identityTimeout = 10 * time.Second

// assume starts a session for a token.
func (s *Service) assume(ctx context.Context, asked assumption) (*result, error) {
	account, err := s.webIdentity(ctx, asked)
	if err != nil {
		return nil, err
	}
	now := s.options.Now().UTC().Truncate(time.Second)
	session, err := s.options.Registry.BeginSession(account, now, asked.duration, s.options.Rand)
	if errors.Is(err, authorization.ErrDenied) {
		return nil, errDenied
	}
	if err != nil {
		return nil, err
	}
	if s.options.Issued != nil {
		s.options.Issued(session)
	}
	return newResult(asked, session), nil
}

// webIdentity returns the account of a token.
func (s *Service) webIdentity(ctx context.Context, asked assumption) (string, error) {
	if s.options.WebIdentity == nil {
		return "", errDenied
	}
	ctx, cancel := context.WithTimeout(ctx, identityTimeout)
	defer cancel()
	account, err := s.options.WebIdentity(ctx, asked.token, asked.role)
	switch {
	case errors.Is(err, authorization.ErrExpired):
		return "", errExpired
	case errors.Is(err, authorization.ErrIdentity):
		return "", errInvalidToken
	case errors.Is(err, fakedriver.ErrNotExist):
		return "", errDenied
	case err != nil:
		s.options.Logger.Error(err, "a web identity could not be looked up")
		return "", errCommunication
	}
	return account, nil
}
