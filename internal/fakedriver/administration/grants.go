package administration

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/fakedriver/authorization"
)

// SetGrant changes what an account may do in one bucket, whoever owns the account, as
// an administrator does behind the owner's back; without any mode, the account does
// not reach the bucket any more. It holds for requests that come in after it has
// returned; one that is on its way is answered by the grant before, or refused. Errors
// are of kind ErrNotExist if the account or the bucket is missing, ErrLimit if the bucket has enough accounts, or ErrInvalid if a mode is
// not known, or the account is an administrator's.
func (a *Administrator) SetGrant(ctx context.Context, account string, grant fakedriver.Grant) error {
	for _, mode := range []fakedriver.AccessMode{grant.ObjectData, grant.ObjectMetadata, grant.BucketMetadata} {
		if !slices.Contains([]fakedriver.AccessMode{fakedriver.NoAccess, fakedriver.ReadOnly, fakedriver.WriteOnly, fakedriver.ReadWrite}, mode) {
			return fmt.Errorf("grant of bucket %q %w: there is no mode %q", grant.Bucket, fakedriver.ErrInvalid, mode)
		}
	}
	return a.exclusively(ctx, func() error { return a.setGrant(account, grant) })
}

func (a *Administrator) setGrant(account string, grant fakedriver.Grant) error {
	old := a.options.Registry.Principal(account)
	if old == nil {
		return notExist("account", account)
	}
	b, ok := a.options.Registry.Bucket(grant.Bucket)
	if !ok {
		return notExist("bucket", grant.Bucket)
	}
	changed := &authorization.Principal{Account: old.Account.Clone(), Secret: old.Secret, Reach: maps.Clone(old.Reach)}
	grants := slices.DeleteFunc(changed.Account.Grants, func(g fakedriver.Grant) bool { return g.Bucket == grant.Bucket })
	delete(changed.Reach, grant.Bucket)
	if grant != (fakedriver.Grant{Bucket: grant.Bucket}) {
		grants = append(grants, grant)
		changed.Reach[grant.Bucket] = b.UID
	}
	changed.Account.Grants = grants
	var err error
	if changed.Account.AccountSpec, err = changed.Account.Normalized(); err != nil {
		return err
	}
	if err := a.checkBucketLimits(account, changed.Reach); err != nil {
		return err
	}
	if err := a.options.Records.PutAccount(changed); err != nil {
		return fmt.Errorf("cannot record the grants of account %q: %w", account, err)
	}
	a.options.Registry.SetAccount(changed)
	old.WaitForRequests()
	return nil
}
