package administration

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/store/authorization"
)

// SetGrant changes the grant of an account of any owner for one bucket, as a storage administrator
// may do without COSI's knowledge. A grant without any mode ends the account's access to the
// bucket. Requests that arrive after SetGrant has returned follow the new grant; earlier ones
// follow the old grant, or are rejected. Errors are of kind ErrNotExist if the account or the
// bucket is missing, ErrLimit if the bucket's maximum number of accounts is reached, or ErrInvalid
// for an unknown mode, or an administrator's account.
func (a *Administrator) SetGrant(ctx context.Context, account string, grant fakedriver.Grant) error {
	for _, mode := range []fakedriver.AccessMode{grant.ObjectData, grant.ObjectMetadata, grant.BucketMetadata} {
		if !slices.Contains([]fakedriver.AccessMode{fakedriver.NoAccess, fakedriver.ReadOnly, fakedriver.WriteOnly, fakedriver.ReadWrite}, mode) {
			return fmt.Errorf("grant of bucket %q %w: unknown mode %q", grant.Bucket, fakedriver.ErrInvalid, mode)
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
