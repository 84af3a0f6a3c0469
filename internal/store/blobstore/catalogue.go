package blobstore

import (
	"encoding/binary"
	"fmt"

	bolt "go.etcd.io/bbolt"
)

var (
	// catalogueTable has an entry for each stored blob, by ID. It is small: Open reads all of it.
	catalogueTable = []byte("blobs")
	// bodiesTable has the bytes of the blobs without a file.
	bodiesTable = []byte("bodies")
)

// bodiesFill is the fill factor of bbolt's pages of bodies. Bodies are only appended, in the order
// of their IDs, so the pages need no free space.
const bodiesFill = 0.95

type entry struct {
	size int64
	file bool // the blob is a file
}

const entrySize = 9

func (e entry) encode() []byte {
	value := binary.BigEndian.AppendUint64(nil, uint64(e.size)) //nolint:gosec // not negative
	if e.file {
		return append(value, 1)
	}
	return append(value, 0)
}

func decodeEntry(value []byte) (entry, error) {
	if len(value) != entrySize {
		return entry{}, fmt.Errorf("its entry in the catalogue %w", ErrDamaged)
	}
	return entry{size: int64(binary.BigEndian.Uint64(value)), file: value[8] == 1}, nil //nolint:gosec // as it was encoded
}

// key is the blob's key in both tables. IDs grow, so entries are appended.
func (id BlobID) key() []byte { return binary.BigEndian.AppendUint64(nil, uint64(id)) }

func idOf(key []byte) BlobID { return BlobID(binary.BigEndian.Uint64(key)) }

func enter(tx *bolt.Tx, id BlobID, e entry, body []byte) error {
	key := id.key()
	if err := tx.Bucket(catalogueTable).Put(key, protect(key, e.encode())); err != nil {
		return err
	}
	if e.file {
		return nil
	}
	bodies := tx.Bucket(bodiesTable)
	bodies.FillPercent = bodiesFill
	return bodies.Put(key, protect(key, body))
}

func strike(tx *bolt.Tx, id BlobID) error {
	key := id.key()
	if err := tx.Bucket(catalogueTable).Delete(key); err != nil {
		return err
	}
	return tx.Bucket(bodiesTable).Delete(key)
}
