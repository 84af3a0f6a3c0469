package store

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/cosi-emu/cosi-emu/fakedriver"
)

// SetGrant changes what an account may do in one bucket, whoever owns the account, as
// an administrator does behind the owner's back; without any mode, the account does
// not reach the bucket any more. It holds for requests that come in after it has
// returned; one that is on its way is answered by the grant before, or refused. Errors
// are of kind ErrNotExist if the account or the bucket is missing, ErrLimit if the bucket has enough accounts, or ErrInvalid if a mode is
// not known, or the account is an administrator's.
func (s *Store) SetGrant(ctx context.Context, account string, grant fakedriver.Grant) error {
	for _, mode := range []fakedriver.AccessMode{grant.ObjectData, grant.ObjectMetadata, grant.BucketMetadata} {
		if !slices.Contains([]fakedriver.AccessMode{fakedriver.NoAccess, fakedriver.ReadOnly, fakedriver.WriteOnly, fakedriver.ReadWrite}, mode) {
			return fmt.Errorf("grant of bucket %q %w: there is no mode %q", grant.Bucket, fakedriver.ErrInvalid, mode)
		}
	}
	return s.administer(ctx, func() error { return s.setGrant(account, grant) })
}

func (s *Store) setGrant(account string, grant fakedriver.Grant) error {
	old := s.registry.byID(account)
	if old == nil {
		return notExist("account", account)
	}
	b, ok := s.registry.bucket(grant.Bucket)
	if !ok {
		return notExist("bucket", grant.Bucket)
	}
	changed := &principal{account: old.account.Clone(), secret: old.secret, reach: maps.Clone(old.reach)}
	grants := slices.DeleteFunc(changed.account.Grants, func(g fakedriver.Grant) bool { return g.Bucket == grant.Bucket })
	delete(changed.reach, grant.Bucket)
	if grant != (fakedriver.Grant{Bucket: grant.Bucket}) {
		grants = append(grants, grant)
		changed.reach[grant.Bucket] = b.UID
	}
	changed.account.Grants = grants
	var err error
	if changed.account.AccountSpec, err = changed.account.Normalized(); err != nil {
		return err
	}
	if err := s.checkBucketLimits(account, changed.reach); err != nil {
		return err
	}
	if err := s.ledger.putAccount(changed.record()); err != nil {
		return fmt.Errorf("cannot record the grants of account %q: %w", account, err)
	}
	s.registry.setAccount(changed)
	old.waitForWrites()
	return nil
}
