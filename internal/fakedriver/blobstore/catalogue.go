package blobstore

import (
	"encoding/binary"
	"fmt"

	bolt "go.etcd.io/bbolt"
)

var (
	// catalogueTable has an entry for every stored blob, by its ID. It is small
	// enough to be read as a whole when the store is opened.
	catalogueTable = []byte("blobs")
	// bodiesTable has the bytes of the blobs that are not files.
	bodiesTable = []byte("bodies")
)

// bodiesFill is how full bbolt leaves its pages of bodies, which come in the order
// of their IDs and so are never inserted between others.
const bodiesFill = 0.95

// entry is what the catalogue says of a blob.
type entry struct {
	size int64
	file bool // it is a file of its own
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

// key is that of the blob in both tables: IDs that grow are appended.
func (id BlobID) key() []byte { return binary.BigEndian.AppendUint64(nil, uint64(id)) }

func idOf(key []byte) BlobID { return BlobID(binary.BigEndian.Uint64(key)) }

// enter adds a blob to the catalogue; body is nil for a file.
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

// strike removes a blob from the catalogue.
func strike(tx *bolt.Tx, id BlobID) error {
	key := id.key()
	if err := tx.Bucket(catalogueTable).Delete(key); err != nil {
		return err
	}
	return tx.Bucket(bodiesTable).Delete(key)
}
