package blobstore

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"

	bolt "go.etcd.io/bbolt"

	"github.com/cosi-emu/cosi-emu/internal/atomicfile"
)

// The names in the directory of a store.
const (
	// DatabaseName is the file with the catalogue and small contents.
	DatabaseName = "store.db"
	// BlobsName is the directory with the files of large contents.
	BlobsName = "blobs"
)

// Disk is a store in a directory.
type Disk struct {
	dir      string
	db       *bolt.DB
	lastID   atomic.Uint64
	requests chan *request
	garbage  garbage
	broken   atomic.Bool

	// loading is the state of Load and Blob until Sweep; nil afterwards.
	loading *inventory

	// update runs a transaction. Tests replace it.
	update func(func(*bolt.Tx) error) error

	closeOnce sync.Once
	closing   chan struct{} // closed by Close
	committer sync.WaitGroup
}

var _ Store = (*Disk)(nil)

// Open opens the store in a directory, and creates both if necessary, with access for the owner
// only. One process at a time can open it. The caller must Close it. The error for damaged files is
// of kind ErrDamaged.
func Open(dir string) (*Disk, error) {
	blobs := filepath.Join(dir, BlobsName)
	if err := os.MkdirAll(blobs, 0o700); err != nil {
		return nil, fmt.Errorf("cannot create the directory of the store: %w", err)
	}
	files, err := listFiles(blobs)
	if err != nil {
		return nil, err
	}
	db, err := openDatabase(filepath.Join(dir, DatabaseName), len(files) > 0)
	if err != nil {
		return nil, err
	}
	d := &Disk{dir: dir, db: db, update: db.Update, requests: make(chan *request), closing: make(chan struct{})}
	d.garbage.full = make(chan struct{}, 1)
	if err := d.prepare(files); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	d.committer.Go(d.commitAll)
	return d, nil
}

// prepare makes the names of new files durable, and reads the inventory.
func (d *Disk) prepare(files []BlobID) error {
	if err := errors.Join(atomicfile.SyncDir(d.dir), atomicfile.SyncDir(filepath.Dir(d.dir))); err != nil {
		return err
	}
	if err := d.guarded(func() error { return d.db.Update(prepareTables) }); err != nil {
		return fmt.Errorf("cannot prepare %s: %w", d.db.Path(), err)
	}
	return d.takeInventory(files)
}

// Durable implements Store.
func (*Disk) Durable() bool { return true }

// Create implements Store.
func (d *Disk) Create() Writer { return &diskWriter{disk: d, scratch: borrowScratch()} }

// Close implements Store.
func (d *Disk) Close() error {
	err := ErrClosed
	d.closeOnce.Do(func() {
		close(d.closing)
		d.committer.Wait()
		err = d.db.Close()
	})
	return err
}

func (d *Disk) isClosed() bool {
	select {
	case <-d.closing:
		return true
	default:
		return false
	}
}

func (d *Disk) nextID() BlobID { return BlobID(d.lastID.Add(1)) }
