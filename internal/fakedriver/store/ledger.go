package store

import (
	"encoding/json"
	"fmt"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/fakedriver/store/internal/blobstore"
)

// ledger is the records of buckets and accounts in the vault. What its methods
// have accepted is durable when they return.
type ledger struct{ vault blobstore.Vault }

const (
	bucketsTable  = "buckets"
	accountsTable = "accounts"
)

// accountRecord is an account with all that must be kept of it.
type accountRecord struct {
	fakedriver.Account

	SecretAccessKey string            `json:"secretAccessKey"`
	Reach           map[string]string `json:"reach"`
}

func (p *principal) record() accountRecord {
	return accountRecord{Account: p.account, SecretAccessKey: p.secret, Reach: p.reach}
}

func (r accountRecord) principal() *principal {
	return &principal{account: r.Account, secret: r.SecretAccessKey, reach: r.Reach}
}

// bucketChange is that of a bucket's record, to be made together with that of its
// contents.
func (l ledger) bucketChange(b fakedriver.Bucket) (blobstore.Change, error) {
	value, err := json.Marshal(b)
	if err != nil {
		return blobstore.Change{}, fmt.Errorf("cannot encode the record: %w", err)
	}
	return blobstore.Change{Table: bucketsTable, Key: []byte(b.Name), Value: value}, nil
}

func (l ledger) bucketDeletion(name string) blobstore.Change {
	return blobstore.Change{Table: bucketsTable, Key: []byte(name)}
}

func (l ledger) putAccount(a accountRecord) error {
	value, err := json.Marshal(a)
	if err != nil {
		return fmt.Errorf("cannot encode the record: %w", err)
	}
	return l.vault.Commit(blobstore.Batch{Changes: []blobstore.Change{{Table: accountsTable, Key: []byte(a.ID), Value: value}}})
}

func (l ledger) deleteAccount(id string) error {
	return l.vault.Commit(blobstore.Batch{Changes: []blobstore.Change{{Table: accountsTable, Key: []byte(id)}}})
}

// loadTable passes on every record of a table.
func loadTable[T any](v blobstore.Vault, table string, take func(T)) error {
	return v.Load(table, func(key, value []byte) error {
		var record T
		if err := json.Unmarshal(value, &record); err != nil {
			return fmt.Errorf("record %q of table %s %w: %w", key, table, blobstore.ErrDamaged, err)
		}
		take(record)
		return nil
	})
}
