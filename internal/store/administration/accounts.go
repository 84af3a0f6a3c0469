package administration

import (
	"context"
	"fmt"
	"maps"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/store/authorization"
)

// PutAccount creates an account with new credentials, or returns the credentials of the account
// with the same specification. Access begins before it returns. Errors are of kind ErrInvalid,
// ErrNotExist if a bucket is missing, ErrLimit if the maximum number of accounts is reached, or
// ErrConflict if the account has another owner, other grants or other parameters. After an error
// nothing has changed.
func (a *Administrator) PutAccount(ctx context.Context, spec fakedriver.AccountSpec) (fakedriver.Credentials, error) {
	spec, err := spec.Normalized()
	if err != nil {
		return fakedriver.Credentials{}, err
	}
	var credentials fakedriver.Credentials
	err = a.exclusively(ctx, func() (err error) {
		credentials, err = a.putAccount(spec)
		return err
	})
	return credentials, err
}

func (a *Administrator) putAccount(spec fakedriver.AccountSpec) (fakedriver.Credentials, error) {
	reach, err := a.reachOf(spec.Grants)
	if err != nil {
		return fakedriver.Credentials{}, err
	}
	existing := a.options.Registry.Principal(spec.ID)
	if existing == nil {
		return a.createAccount(spec, reach)
	}
	if !existing.Account.Matches(spec) {
		return fakedriver.Credentials{}, conflict("account", spec.ID, "it has been created with another owner, other grants or other parameters")
	}
	if err := a.renew(existing, reach); err != nil {
		return fakedriver.Credentials{}, err
	}
	return existing.Credentials(), nil
}

// reachOf returns the UIDs of the granted buckets.
func (a *Administrator) reachOf(grants []fakedriver.Grant) (map[string]string, error) {
	reach := make(map[string]string, len(grants))
	for _, grant := range grants {
		b, ok := a.options.Registry.Bucket(grant.Bucket)
		if !ok {
			return nil, notExist("bucket", grant.Bucket)
		}
		reach[b.Name] = b.UID
	}
	return reach, nil
}

func (a *Administrator) createAccount(spec fakedriver.AccountSpec, reach map[string]string) (fakedriver.Credentials, error) {
	if err := a.checkLimits(spec, reach); err != nil {
		return fakedriver.Credentials{}, err
	}
	p, err := a.newPrincipal(fakedriver.Account{AccountSpec: spec, CreatedAt: a.now()}, reach)
	if err != nil {
		return fakedriver.Credentials{}, err
	}
	// Recorded before it works: after a crash, a key that an application holds must still be known
	// and revocable.
	if err := a.options.Records.PutAccount(p); err != nil {
		return fakedriver.Credentials{}, fmt.Errorf("cannot record account %q: %w", spec.ID, err)
	}
	a.options.Registry.SetAccount(p)
	return p.Credentials(), nil
}

// renew extends an account's grants to buckets that were deleted and created again since: the owner
// requests that by creating the account once more.
func (a *Administrator) renew(p *authorization.Principal, reach map[string]string) error {
	if maps.Equal(reach, p.Reach) {
		return nil
	}
	if err := a.checkBucketLimits(p.Account.ID, reach); err != nil {
		return err
	}
	renewed := &authorization.Principal{Account: p.Account, Secret: p.Secret, Reach: reach}
	if err := a.options.Records.PutAccount(renewed); err != nil {
		return fmt.Errorf("cannot record account %q: %w", p.Account.ID, err)
	}
	a.options.Registry.SetReach(p, reach)
	return nil
}

// DeleteAccount deletes an account. When it returns, its key is revoked, and no request with it is
// changing anything. The error is of kind ErrNotExist for an unknown account, or ErrConflict if it
// belongs to another owner.
func (a *Administrator) DeleteAccount(ctx context.Context, owner, id string) error {
	return a.exclusively(ctx, func() error { return a.deleteAccount(owner, id) })
}

func (a *Administrator) deleteAccount(owner, id string) error {
	p, err := a.accountOf(owner, id)
	if err != nil {
		return err
	}
	if err := a.options.Records.DeleteAccount(id); err != nil {
		return fmt.Errorf("cannot record that account %q is deleted: %w", id, err)
	}
	a.options.Registry.RemoveAccount(p)
	p.WaitForRequests()
	return nil
}

func (a *Administrator) accountOf(owner, id string) (*authorization.Principal, error) {
	p := a.options.Registry.Principal(id)
	if p == nil {
		return nil, notExist("account", id)
	}
	if p.Account.Owner != owner {
		return nil, conflict("account", id, "it belongs to another owner")
	}
	return p, nil
}

// Accounts returns all accounts, sorted by ID, without their secrets.
func (a *Administrator) Accounts(ctx context.Context) ([]fakedriver.Account, error) {
	if err := a.usable(ctx); err != nil {
		return nil, err
	}
	return a.options.Registry.Accounts(), nil
}
