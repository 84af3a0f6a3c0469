package persistence

import (
	"encoding/json"
	"fmt"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/store/authorization"
	"github.com/cosi-emu/cosi-emu/internal/store/blobstore"
)

// Records are the records of buckets and accounts in a blob store. Changes are durable when its
// methods return.
type Records struct{ store blobstore.Store }

// New returns the records in a blob store.
func New(store blobstore.Store) Records { return Records{store} }

const (
	bucketsTable  = "buckets"
	accountsTable = "accounts"
)

// accountRecord is an account with all its persistent data.
type accountRecord struct {
	fakedriver.Account

	SecretAccessKey string            `json:"secretAccessKey"`
	Reach           map[string]string `json:"reach"`
}

// BucketChange returns the change that records a bucket, to be committed together with its
// contents.
func (r Records) BucketChange(b fakedriver.Bucket) (blobstore.Change, error) {
	value, err := json.Marshal(b)
	if err != nil {
		return blobstore.Change{}, fmt.Errorf("cannot encode the record: %w", err)
	}
	return blobstore.Change{Table: bucketsTable, Key: []byte(b.Name), Value: value}, nil
}

// BucketDeletion returns the change that deletes the record of a bucket.
func (r Records) BucketDeletion(name string) blobstore.Change {
	return blobstore.Change{Table: bucketsTable, Key: []byte(name)}
}

// PutAccount records an account.
func (r Records) PutAccount(p *authorization.Principal) error {
	value, err := json.Marshal(accountRecord{Account: p.Account, SecretAccessKey: p.Secret, Reach: p.Reach})
	if err != nil {
		return fmt.Errorf("cannot encode the record: %w", err)
	}
	return r.commit(blobstore.Change{Table: accountsTable, Key: []byte(p.Account.ID), Value: value})
}

// DeleteAccount deletes the record of an account.
func (r Records) DeleteAccount(id string) error {
	return r.commit(blobstore.Change{Table: accountsTable, Key: []byte(id)})
}

func (r Records) commit(change blobstore.Change) error {
	return r.store.Commit(blobstore.Batch{Changes: []blobstore.Change{change}})
}
