package emulator

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/cosi-emu/cosi-emu/fakedriver"
)

// maxIssued is how many keys are remembered, the latest.
const maxIssued = 4096

// IssuedKey is a key that the store has given to a fake driver.
type IssuedKey struct {
	// Account is the account that it is of, and Owner the driver.
	Account, Owner string
	// Secret is what nobody but the owner of an access Secret may see.
	Secret string
	// At is when it was given last.
	At time.Time
}

// IssuedKeys returns the keys that the store has given to fake drivers since a
// time, as far as they are remembered: for checks that they are nowhere but in
// Secrets. They are in memory only, and must not be written anywhere.
func (e *Emulator) IssuedKeys(since time.Time) []IssuedKey {
	e.issued.mu.Lock()
	defer e.issued.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(e.issued.keys), func(k IssuedKey) bool { return k.At.Before(since) })
}

// issued remembers keys.
type issued struct {
	mu   sync.Mutex
	keys []IssuedKey // the oldest first
}

func (i *issued) remember(spec fakedriver.AccountSpec, credentials fakedriver.Credentials, err error) {
	if err != nil || credentials.SecretAccessKey == "" {
		return
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	// An account that is asked for again has the same key.
	i.keys = slices.DeleteFunc(i.keys, func(k IssuedKey) bool { return k.Secret == credentials.SecretAccessKey })
	if len(i.keys) == maxIssued {
		i.keys = slices.Delete(i.keys, 0, maxIssued/2)
	}
	i.keys = append(i.keys, IssuedKey{Account: spec.ID, Owner: spec.Owner, Secret: credentials.SecretAccessKey, At: time.Now()})
}

// issuing is a backend whose keys are remembered.
type issuing struct {
	fakedriver.Backend

	issued *issued
}

// PutAccount implements fakedriver.Backend.
func (b issuing) PutAccount(ctx context.Context, spec fakedriver.AccountSpec) (fakedriver.Credentials, error) {
	credentials, err := b.Backend.PutAccount(ctx, spec)
	b.issued.remember(spec, credentials, err)
	return credentials, err
}

// RotateAccount implements fakedriver.Backend.
func (b issuing) RotateAccount(ctx context.Context, owner, id string) (fakedriver.Credentials, error) {
	credentials, err := b.Backend.RotateAccount(ctx, owner, id)
	b.issued.remember(fakedriver.AccountSpec{ID: id, Owner: owner}, credentials, err)
	return credentials, err
}
