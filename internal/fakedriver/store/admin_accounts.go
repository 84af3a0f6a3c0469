package store

import (
	"context"
	"fmt"
	"maps"

	"github.com/cosi-emu/cosi-emu/fakedriver"
)

// PutAccount creates an account with new credentials, or returns those of the
// account that has been created with the same specification. Access begins
// before it returns. Errors are of kind ErrInvalid, ErrNotExist if a bucket is
// missing, ErrLimit if there are enough accounts, or ErrConflict if the account
// has another owner, other grants or other parameters. Whatever the error,
// nothing has changed.
func (s *Store) PutAccount(ctx context.Context, spec fakedriver.AccountSpec) (fakedriver.Credentials, error) {
	spec, err := spec.Normalized()
	if err != nil {
		return fakedriver.Credentials{}, err
	}
	var credentials fakedriver.Credentials
	err = s.administer(ctx, func() (err error) {
		credentials, err = s.putAccount(spec)
		return err
	})
	return credentials, err
}

func (s *Store) putAccount(spec fakedriver.AccountSpec) (fakedriver.Credentials, error) {
	reach, err := s.reachOf(spec.Grants)
	if err != nil {
		return fakedriver.Credentials{}, err
	}
	existing := s.registry.byID(spec.ID)
	if existing == nil {
		return s.createAccount(spec, reach)
	}
	if !existing.account.Matches(spec) {
		return fakedriver.Credentials{}, conflict("account", spec.ID, "it has been created with another owner, other grants or other parameters")
	}
	if err := s.renew(existing, reach); err != nil {
		return fakedriver.Credentials{}, err
	}
	return existing.credentials(), nil
}

// reachOf returns the UIDs of the buckets that are granted.
func (s *Store) reachOf(grants []fakedriver.Grant) (map[string]string, error) {
	reach := make(map[string]string, len(grants))
	for _, grant := range grants {
		b, ok := s.registry.bucket(grant.Bucket)
		if !ok {
			return nil, notExist("bucket", grant.Bucket)
		}
		reach[b.Name] = b.UID
	}
	return reach, nil
}

func (s *Store) createAccount(spec fakedriver.AccountSpec, reach map[string]string) (fakedriver.Credentials, error) {
	if err := s.checkLimits(spec, reach); err != nil {
		return fakedriver.Credentials{}, err
	}
	p, err := s.newPrincipal(fakedriver.Account{AccountSpec: spec, CreatedAt: s.now()}, reach)
	if err != nil {
		return fakedriver.Credentials{}, err
	}
	// Recorded before it works: a key that an application holds must still be
	// known, and be revocable, after a crash.
	if err := s.ledger.putAccount(p.record()); err != nil {
		return fakedriver.Credentials{}, fmt.Errorf("cannot record account %q: %w", spec.ID, err)
	}
	s.registry.setAccount(p)
	return p.credentials(), nil
}

// renew extends an account's grants to buckets that have been created again
// since; granting once more is how their owner says so.
func (s *Store) renew(p *principal, reach map[string]string) error {
	if maps.Equal(reach, p.reach) {
		return nil
	}
	if err := s.checkBucketLimits(p.account.ID, reach); err != nil {
		return err
	}
	renewed := &principal{account: p.account, secret: p.secret, reach: reach}
	if err := s.ledger.putAccount(renewed.record()); err != nil {
		return fmt.Errorf("cannot record account %q: %w", p.account.ID, err)
	}
	s.registry.setReach(p, reach)
	return nil
}

// DeleteAccount ends an account. When it returns, its key is refused, and no
// request with it is still changing anything. The error is of kind ErrNotExist
// if there is no such account, or ErrConflict if it belongs to another owner.
func (s *Store) DeleteAccount(ctx context.Context, owner, id string) error {
	return s.administer(ctx, func() error { return s.deleteAccount(owner, id) })
}

func (s *Store) deleteAccount(owner, id string) error {
	p, err := s.accountOf(owner, id)
	if err != nil {
		return err
	}
	if err := s.ledger.deleteAccount(id); err != nil {
		return fmt.Errorf("cannot record that account %q is deleted: %w", id, err)
	}
	s.registry.removeAccount(p)
	p.waitForWrites()
	return nil
}

// accountOf returns an account of an owner.
func (s *Store) accountOf(owner, id string) (*principal, error) {
	p := s.registry.byID(id)
	if p == nil {
		return nil, notExist("account", id)
	}
	if p.account.Owner != owner {
		return nil, conflict("account", id, "it belongs to somebody else")
	}
	return p, nil
}

// waitForWrites returns when the writes that were let in before have ended.
func (p *principal) waitForWrites() {
	p.writes.Lock()
	p.writes.Unlock() //nolint:staticcheck,gocritic // nothing is to be done meanwhile
}

// Accounts returns all accounts, sorted by ID, without their secrets.
func (s *Store) Accounts(ctx context.Context) ([]fakedriver.Account, error) {
	if err := s.usable(ctx); err != nil {
		return nil, err
	}
	return s.registry.allAccounts(), nil
}

func (p *principal) credentials() fakedriver.Credentials {
	return fakedriver.Credentials{AccessKeyID: p.account.AccessKeyID, SecretAccessKey: p.secret}
}
