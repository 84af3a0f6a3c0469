package blobstore

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"

	bolt "go.etcd.io/bbolt"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

const sumSize = crc32.Size

// protect adds a checksum of key and value to the value, because bbolt has none.
func protect(key, value []byte) []byte {
	protected := make([]byte, sumSize, sumSize+len(value))
	binary.BigEndian.PutUint32(protected, sum(key, value))
	return append(protected, value...)
}

// reveal verifies and removes the checksum. The error is of kind ErrDamaged.
func reveal(key, protected []byte) ([]byte, error) {
	if len(protected) < sumSize {
		return nil, ErrDamaged
	}
	value := protected[sumSize:]
	if binary.BigEndian.Uint32(protected) != sum(key, value) {
		return nil, ErrDamaged
	}
	return value, nil
}

func sum(key, value []byte) uint32 {
	return crc32.Update(crc32.Checksum(key, castagnoli), castagnoli, value)
}

func tableName(table string) []byte { return []byte("records " + table) }

// check returns an error for a change that bbolt would reject, together with the other changes of
// the transaction.
func (c Change) check() error {
	switch {
	case c.Table == "":
		return errors.New("a record cannot be changed without a table")
	case len(c.Key) == 0 || len(c.Key) > bolt.MaxKeySize:
		return fmt.Errorf("a key of table %q has %d bytes; 1 to %d are possible", c.Table, len(c.Key), bolt.MaxKeySize)
	}
	return nil
}

func (c Change) apply(tx *bolt.Tx) error {
	records, err := tx.CreateBucketIfNotExists(tableName(c.Table))
	if err != nil {
		return err
	}
	if c.Value == nil {
		return records.Delete(c.Key)
	}
	return records.Put(c.Key, protect(c.Key, c.Value))
}

// Load implements Store.
func (d *Disk) Load(table string, each func(key, value []byte) error) error {
	if d.isClosed() {
		return ErrClosed
	}
	return d.db.View(func(tx *bolt.Tx) error { return d.walk(tx.Bucket(tableName(table)), table, each) })
}

// walk calls each for every record in a bucket of bbolt, which may be nil.
func (d *Disk) walk(bucket *bolt.Bucket, table string, each func(key, value []byte) error) error {
	if bucket == nil {
		return nil
	}
	cursor := bucket.Cursor()
	var key, value []byte
	next := cursor.First
	for {
		err := d.guarded(func() (err error) {
			if key, value = next(); key != nil {
				value, err = reveal(key, value)
			}
			return err
		})
		switch {
		case errors.Is(err, ErrDamaged) && key != nil:
			return fmt.Errorf("record %q of table %q in %s: it %w", key, table, d.db.Path(), err)
		case err != nil || key == nil:
			return err
		}
		if err := each(key, value); err != nil {
			return err
		}
		next = cursor.Next
	}
}
