package administration

import (
	"context"
	"fmt"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/store/authorization"
)

// RotateAccount gives an account of an owner a new key. When it returns, the old one is revoked,
// and no request with it is changing anything; the account itself and its grants stay the same. The
// error is of kind ErrNotExist, ErrConflict if the account belongs to another owner, or ErrInvalid
// if it is for a ServiceAccount, and has no key.
func (a *Administrator) RotateAccount(ctx context.Context, owner, id string) (fakedriver.Credentials, error) {
	var credentials fakedriver.Credentials
	err := a.exclusively(ctx, func() (err error) {
		credentials, err = a.rotateAccount(owner, id)
		return err
	})
	return credentials, err
}

func (a *Administrator) rotateAccount(owner, id string) (fakedriver.Credentials, error) {
	old, err := a.accountOf(owner, id)
	if err != nil {
		return fakedriver.Credentials{}, err
	}
	if old.Account.ServiceAccount != "" {
		return fakedriver.Credentials{}, fmt.Errorf("rotation of account %q %w: it has no key", id, fakedriver.ErrInvalid)
	}
	account := old.Account
	account.Rotations++
	rotated, err := a.newPrincipal(account, old.Reach)
	if err != nil {
		return fakedriver.Credentials{}, err
	}
	// Recorded before it works, like a new account: after a crash, exactly one of the keys works.
	if err := a.options.Records.PutAccount(rotated); err != nil {
		return fakedriver.Credentials{}, fmt.Errorf("cannot record the new key of account %q: %w", id, err)
	}
	a.options.Registry.ReplaceAccount(old, rotated)
	old.WaitForRequests()
	return rotated.Credentials(), nil
}

// newPrincipal returns an account with a new key, or without one if it is for a
// ServiceAccount.
func (a *Administrator) newPrincipal(account fakedriver.Account, reach map[string]string) (*authorization.Principal, error) {
	if account.ServiceAccount != "" {
		return &authorization.Principal{Account: account, Reach: reach}, nil
	}
	secret, err := authorization.NewSecret(a.options.Rand)
	if err != nil {
		return nil, err
	}
	account.AccessKeyID = authorization.AccessKeyID(account.ID, account.Rotations)
	return &authorization.Principal{Account: account, Secret: secret, Reach: reach}, nil
}
