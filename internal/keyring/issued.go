package keyring

import (
	"context"
	"slices"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator/backend"
	"github.com/cosi-emu/cosi-emu/fakedriver"
)

const maxIssuedKeys = 4096

// Issued implements backend.Keys.
func (r *Ring) Issued(since time.Time) []backend.IssuedKey {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(r.issued), func(k backend.IssuedKey) bool { return k.At.Before(since) })
}

// Record returns a backend that adds the keys that it issues.
func (r *Ring) Record(b fakedriver.Backend) fakedriver.Backend { return recording{Backend: b, ring: r} }

// recording adds the keys that it issues to a ring.
type recording struct {
	fakedriver.Backend

	ring *Ring
}

// PutAccount implements fakedriver.Backend.
func (r recording) PutAccount(ctx context.Context, spec fakedriver.AccountSpec) (fakedriver.Credentials, error) {
	credentials, err := r.Backend.PutAccount(ctx, spec)
	r.ring.addAccount(spec, credentials, err)
	return credentials, err
}

// RotateAccount implements fakedriver.Backend.
func (r recording) RotateAccount(ctx context.Context, owner, id string) (fakedriver.Credentials, error) {
	credentials, err := r.Backend.RotateAccount(ctx, owner, id)
	r.ring.addAccount(fakedriver.AccountSpec{ID: id, Owner: owner}, credentials, err)
	return credentials, err
}

func (r *Ring) addAccount(spec fakedriver.AccountSpec, credentials fakedriver.Credentials, err error) {
	if err != nil || credentials.SecretAccessKey == "" {
		return
	}
	r.Add(backend.IssuedKey{
		Account: spec.ID, Owner: spec.Owner, AccessKeyID: credentials.AccessKeyID, Secret: credentials.SecretAccessKey,
		Buckets: BucketsOf(spec),
	})
}

// Add adds a key that the store has issued. The journal redacts it from now on.
func (r *Ring) Add(key backend.IssuedKey) {
	for _, value := range []string{key.Secret, key.SessionToken} {
		r.journal.AddAccountSecret(key.Account, value)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	// A repeated request for an account returns the same key.
	r.issued = slices.DeleteFunc(r.issued, func(k backend.IssuedKey) bool { return k.Secret == key.Secret })
	if len(r.issued) == maxIssuedKeys {
		r.issued = slices.Delete(r.issued, 0, maxIssuedKeys/2)
	}
	key.At = time.Now()
	r.issued = append(r.issued, key)
}

// BucketsOf returns the names of the buckets to which an account has grants.
func BucketsOf(spec fakedriver.AccountSpec) (names []string) {
	for _, grant := range spec.Grants {
		names = append(names, grant.Bucket)
	}
	return names
}
