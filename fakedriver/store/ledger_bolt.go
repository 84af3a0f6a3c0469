package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	bolt "go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"
)

var (
	bucketsTable  = []byte("buckets")
	accountsTable = []byte("accounts")
)

// lockTimeout is how long opening waits for another process to let go of a file.
const lockTimeout = time.Second

// openBolt opens a bbolt file, which holds secrets and so is for its owner only.
// Every transaction is synced to disk before it is acknowledged.
func openBolt(path string) (*bolt.DB, error) {
	db, err := bolt.Open(path, 0o600, &bolt.Options{Timeout: lockTimeout})
	if errors.Is(err, bolterrors.ErrTimeout) {
		return nil, fmt.Errorf("%s is in use by another process; stop it or use another directory", path)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot open %s: %w", path, err)
	}
	return db, nil
}

type boltLedger struct{ db *bolt.DB }

func openLedger(path string) (ledger, error) {
	db, err := openBolt(path)
	if err != nil {
		return nil, err
	}
	err = db.Update(func(tx *bolt.Tx) error {
		_, first := tx.CreateBucketIfNotExists(bucketsTable)
		_, second := tx.CreateBucketIfNotExists(accountsTable)
		return errors.Join(first, second)
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("cannot prepare %s: %w", path, err), db.Close())
	}
	return boltLedger{db}, nil
}

func (l boltLedger) load() ([]Bucket, []accountRecord, error) {
	buckets, err := loadTable[Bucket](l.db, bucketsTable)
	if err != nil {
		return nil, nil, err
	}
	accounts, err := loadTable[accountRecord](l.db, accountsTable)
	return buckets, accounts, err
}

func loadTable[T any](db *bolt.DB, table []byte) ([]T, error) {
	var all []T
	err := db.View(func(tx *bolt.Tx) error {
		return tx.Bucket(table).ForEach(func(key, value []byte) error {
			var record T
			if err := json.Unmarshal(value, &record); err != nil {
				return fmt.Errorf("record %q of table %s in %s is damaged: %w", key, table, db.Path(), err)
			}
			all = append(all, record)
			return nil
		})
	})
	return all, err
}

func (l boltLedger) putBucket(b Bucket) error       { return l.put(bucketsTable, b.Name, b) }
func (l boltLedger) deleteBucket(name string) error { return l.delete(bucketsTable, name) }
func (l boltLedger) putAccount(a accountRecord) error {
	return l.put(accountsTable, a.ID, a)
}
func (l boltLedger) deleteAccount(id string) error { return l.delete(accountsTable, id) }
func (l boltLedger) close() error                  { return l.db.Close() }

func (l boltLedger) put(table []byte, key string, record any) error {
	value, err := json.Marshal(record)
	if err != nil {
		return fmt.Errorf("cannot encode record %q of table %s: %w", key, table, err)
	}
	return l.db.Update(func(tx *bolt.Tx) error { return tx.Bucket(table).Put([]byte(key), value) })
}

func (l boltLedger) delete(table []byte, key string) error {
	return l.db.Update(func(tx *bolt.Tx) error { return tx.Bucket(table).Delete([]byte(key)) })
}
