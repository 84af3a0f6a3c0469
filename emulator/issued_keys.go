package emulator

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator/backend"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/store/authorization"
)

const maxIssuedKeys = 4096

// IssuedKey is a key that the store has issued to a fake driver, or to an application that
// authenticates as a ServiceAccount.
type IssuedKey = backend.IssuedKey

// IssuedKeys returns the keys that the store has issued since a time, as far as they are
// remembered. Use it to check which buckets the keys open, and that only Secrets contain them. The
// keys are in memory, and must not be written to a file.
func (e *Emulator) IssuedKeys(since time.Time) []IssuedKey {
	e.issuedKeys.mu.Lock()
	defer e.issuedKeys.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(e.issuedKeys.keys), func(k IssuedKey) bool { return k.At.Before(since) })
}

type issuedKeys struct {
	journal *journal.Journal

	mu   sync.Mutex
	keys []IssuedKey // oldest first
}

func (i *issuedKeys) remember(spec fakedriver.AccountSpec, credentials fakedriver.Credentials, err error) {
	if err != nil || credentials.SecretAccessKey == "" {
		return
	}
	i.add(IssuedKey{
		Account: spec.ID, Owner: spec.Owner, AccessKeyID: credentials.AccessKeyID, Secret: credentials.SecretAccessKey,
		Buckets: grantedBuckets(spec),
	})
}

func (i *issuedKeys) add(key IssuedKey) {
	for _, value := range []string{key.Secret, key.SessionToken} {
		i.journal.AddAccountSecret(key.Account, value)
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	// A repeated request for an account returns the same key.
	i.keys = slices.DeleteFunc(i.keys, func(k IssuedKey) bool { return k.Secret == key.Secret })
	if len(i.keys) == maxIssuedKeys {
		i.keys = slices.Delete(i.keys, 0, maxIssuedKeys/2)
	}
	key.At = time.Now()
	i.keys = append(i.keys, key)
}

func grantedBuckets(spec fakedriver.AccountSpec) (names []string) {
	for _, grant := range spec.Grants {
		names = append(names, grant.Bucket)
	}
	return names
}

// rememberSession remembers the temporary key that an application has exchanged for the token of
// its ServiceAccount.
func (e *Emulator) rememberSession(s *authorization.Session) {
	key := IssuedKey{Account: s.Account, AccessKeyID: s.AccessKeyID, Secret: s.Secret, SessionToken: s.Token}
	accounts, err := e.store.Accounts(context.Background())
	of := slices.IndexFunc(accounts, func(a fakedriver.Account) bool { return a.ID == s.Account })
	if err == nil && of >= 0 { // a missing account was just revoked, and the key must open nothing
		key.Owner, key.Buckets = accounts[of].Owner, grantedBuckets(accounts[of].AccountSpec)
	}
	e.issuedKeys.add(key)
}

// keyRecordingBackend remembers the keys that it issues.
type keyRecordingBackend struct {
	fakedriver.Backend

	issued *issuedKeys
}

// PutAccount implements fakedriver.Backend.
func (b keyRecordingBackend) PutAccount(ctx context.Context, spec fakedriver.AccountSpec) (fakedriver.Credentials, error) {
	credentials, err := b.Backend.PutAccount(ctx, spec)
	b.issued.remember(spec, credentials, err)
	return credentials, err
}

// RotateAccount implements fakedriver.Backend.
func (b keyRecordingBackend) RotateAccount(ctx context.Context, owner, id string) (fakedriver.Credentials, error) {
	credentials, err := b.Backend.RotateAccount(ctx, owner, id)
	b.issued.remember(fakedriver.AccountSpec{ID: id, Owner: owner}, credentials, err)
	return credentials, err
}
