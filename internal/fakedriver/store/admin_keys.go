package store

import (
	"context"
	"fmt"

	"github.com/cosi-emu/cosi-emu/fakedriver"
)

// RotateAccount gives an account of an owner a new key. When it returns, the old
// one is refused, and no request with it is still changing anything; the account
// itself, and what it may do, stay the same. The error is of kind ErrNotExist,
// ErrConflict if the account belongs to another owner, or ErrInvalid if it has no
// keys because it is for a ServiceAccount.
func (s *Store) RotateAccount(ctx context.Context, owner, id string) (fakedriver.Credentials, error) {
	var credentials fakedriver.Credentials
	err := s.administer(ctx, func() (err error) {
		credentials, err = s.rotateAccount(owner, id)
		return err
	})
	return credentials, err
}

func (s *Store) rotateAccount(owner, id string) (fakedriver.Credentials, error) {
	old, err := s.accountOf(owner, id)
	if err != nil {
		return fakedriver.Credentials{}, err
	}
	if old.account.ServiceAccount != "" {
		return fakedriver.Credentials{}, fmt.Errorf("rotation of account %q %w: it has no key", id, fakedriver.ErrInvalid)
	}
	account := old.account
	account.Rotations++
	rotated, err := s.newPrincipal(account, old.reach)
	if err != nil {
		return fakedriver.Credentials{}, err
	}
	// Recorded before it works, like a new account: a crash leaves the one key or
	// the other, and never both.
	if err := s.ledger.putAccount(rotated.record()); err != nil {
		return fakedriver.Credentials{}, fmt.Errorf("cannot record the new key of account %q: %w", id, err)
	}
	s.registry.replaceAccount(old, rotated)
	old.waitForWrites()
	return rotated.credentials(), nil
}

// newPrincipal returns an account with a new key, unless it is to have none.
func (s *Store) newPrincipal(account fakedriver.Account, reach map[string]string) (*principal, error) {
	if account.ServiceAccount != "" {
		return &principal{account: account, reach: reach}, nil
	}
	secret, err := newSecret(s.options.Rand)
	if err != nil {
		return nil, err
	}
	account.AccessKeyID = accessKeyID(account.ID, account.Rotations)
	return &principal{account: account, secret: secret, reach: reach}, nil
}
