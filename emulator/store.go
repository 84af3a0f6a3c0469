package emulator

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/cosi-emu/cosi-emu/emulator/backend"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/component"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/gcs"
	"github.com/cosi-emu/cosi-emu/internal/keyring"
	"github.com/cosi-emu/cosi-emu/internal/store"
	"github.com/cosi-emu/cosi-emu/internal/store/administration"
	"github.com/cosi-emu/cosi-emu/internal/store/authorization"
)

// Store is the object store behind the fake drivers. Its calls bypass the seams, so the journal
// does not show them.
type Store = backend.Store

// RootAccount is the ID of the root account in the S3 store. Buckets that are created
// with its key belong to it.
const RootAccount = backend.RootAccount

// maxContents is the maximum number of keys of Contents.
const maxContents = 1000

// Store returns the store, or nil if the driver is not the emulator's.
func (e *Emulator) Store() Store {
	if e.store == nil {
		return nil
	}
	return backendStore{e.store, e}
}

// Keys returns the keys of the applications, which the oracles try.
func (e *Emulator) Keys() backend.Keys { return e.keys }

// backendStore is the store of an emulator as its users see it.
type backendStore struct {
	*store.Store

	emulator *Emulator
}

// AdminEmptyBucket implements backend.Store.
func (s backendStore) AdminEmptyBucket(ctx context.Context, bucket string) error {
	i := s.emulator.s3.Current()
	if i == nil {
		return fmt.Errorf("empty bucket %q: the store does not run", bucket)
	}
	return i.EmptyBucket(ctx, s.Store, bucket)
}

// Contents implements backend.Store.
func (s backendStore) Contents(ctx context.Context, bucket string) backend.Contents {
	found, err := s.Store.Contents(ctx, bucket, maxContents)
	if err != nil {
		return backend.Contents{}
	}
	return backend.Contents(found)
}

// ContentFiles implements backend.Store.
func (s backendStore) ContentFiles() ([]string, error) {
	if s.emulator.opts.DataDir == "" {
		return nil, nil
	}
	files, err := s.Store.ContentFiles()
	for i := range files {
		files[i] = path.Join(storeName, files[i])
	}
	return files, err
}

// openStore opens the store, which keeps its contents over the incarnations of its service.
func (e *Emulator) openStore(ctx context.Context) (err error) {
	opts := store.Options{
		Region:      e.opts.S3Region,
		MaxAccounts: e.opts.MaxAccounts,
		Now:         e.s3.Now,
	}
	if e.dataDir() != "" {
		opts.Dir = storeDir(e.dataDir())
	}
	if e.store, err = store.New(opts); err != nil {
		return err
	}
	e.onStop(func(context.Context) error { return e.store.Close() })
	if opts.Dir == "" {
		return nil
	}
	return gcs.Migrate(ctx, e.store, filepath.Join(e.dataDir(), "gcs"))
}

// createRootKey creates the key with which users change the store without COSI, for instance
// to create buckets that COSI imports. The call bypasses the seams. With a data directory, the key
// survives restarts.
func (e *Emulator) createRootKey(ctx context.Context) error {
	key, err := e.store.PutAccount(ctx, fakedriver.AccountSpec{ID: RootAccount, Owner: RootAccount, Admin: true})
	if err != nil {
		return err
	}
	if chosen := e.opts.S3RootKey; chosen != (fakedriver.Credentials{}) {
		if err := e.store.SetAccountKey(ctx, RootAccount, RootAccount, chosen); err != nil {
			return err
		}
		key = chosen
	}
	content, err := json.Marshal(key)
	if err != nil {
		return err
	}
	e.info.S3RootKey = filepath.Join(e.info.Dir, "s3-root-key.json")
	if err := os.WriteFile(e.info.S3RootKey, content, fileMode); err != nil {
		return fmt.Errorf("write the root key of the S3 store: %w", err)
	}
	return nil
}

// loseDataOf deletes the buckets and accounts of one fake driver.
func (e *Emulator) loseDataOf(driver string) component.DataLoss {
	return func(ctx context.Context) (administration.DataLoss, error) {
		return e.store.Forget(ctx, func(owner string) bool { return owner == driver })
	}
}

// loseAllData deletes all data of the store, except the root key, which users have.
func (e *Emulator) loseAllData(ctx context.Context) (administration.DataLoss, error) {
	return e.store.Forget(ctx, func(owner string) bool { return owner != RootAccount })
}

var errStarting = errors.New("the API server is still starting")

// webIdentity returns the account for a ServiceAccount token. It returns errStarting until the API
// server, which starts after the store, is ready.
func (e *Emulator) webIdentity(ctx context.Context, token, role string) (string, error) {
	directory := e.identities.Load()
	if directory == nil {
		return "", errStarting
	}
	return directory.Account(ctx, token, role)
}

// rememberSession remembers the temporary key that an application has exchanged for the token of
// its ServiceAccount.
func (e *Emulator) rememberSession(s *authorization.Session) {
	key := backend.IssuedKey{Account: s.Account, AccessKeyID: s.AccessKeyID, Secret: s.Secret, SessionToken: s.Token}
	accounts, err := e.store.Accounts(context.Background())
	of := slices.IndexFunc(accounts, func(a fakedriver.Account) bool { return a.ID == s.Account })
	if err == nil && of >= 0 { // a missing account was just revoked, and the key must open nothing
		key.Owner, key.Buckets = accounts[of].Owner, keyring.BucketsOf(accounts[of].AccountSpec)
	}
	e.keys.Add(key)
}
