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
	return rotated.Credentials(), a.replaceKey(old, rotated)
}

// replaceKey replaces an account by one with another key.
func (a *Administrator) replaceKey(old, rotated *authorization.Principal) error {
	// Recorded before it works, like a new account: after a crash, exactly one of the keys works.
	if err := a.options.Records.PutAccount(rotated); err != nil {
		return fmt.Errorf("cannot record the new key of account %q: %w", old.Account.ID, err)
	}
	a.options.Registry.ReplaceAccount(old, rotated)
	old.WaitForRequests()
	return nil
}

// SetAccountKey gives an account of an owner a key that the caller has chosen. When it returns, another key is revoked,
// as by RotateAccount. The error is of kind ErrInvalid for a key that fakedriver.Credentials.Validate rejects, ErrNotExist,
// or ErrConflict if the account belongs to another owner, or another account has the access key ID.
func (a *Administrator) SetAccountKey(ctx context.Context, owner, id string, key fakedriver.Credentials) error {
	if err := key.Validate(); err != nil {
		return err
	}
	return a.exclusively(ctx, func() error {
		old, err := a.accountOf(owner, id)
		if err != nil || old.Credentials() == key {
			return err
		}
		if other, known := a.options.Registry.Caller(key.AccessKeyID); known && other.Account().ID != id {
			return conflict("access key ID", key.AccessKeyID, "another account has it")
		}
		account := old.Account
		account.AccessKeyID = key.AccessKeyID
		return a.replaceKey(old, &authorization.Principal{Account: account, Secret: key.SecretAccessKey, Reach: old.Reach})
	})
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
