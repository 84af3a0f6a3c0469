package blobstore

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	bolt "go.etcd.io/bbolt"

	"github.com/cosi-emu/cosi-emu/internal/atomicfile"
)

// quarantineName is the directory with the files of damaged blobs. The store never deletes them,
// because users may need the remains.
const quarantineName = "damaged"

// damagedBlob is a blob whose file is missing or has the wrong length. It cannot be read.
type damagedBlob struct {
	references

	disk  *Disk
	id    BlobID
	size  int64
	cause error
}

func (b *damagedBlob) ID() BlobID { return b.id }

// Size is the size that the undamaged blob has.
func (b *damagedBlob) Size() int64 { return b.size }

func (b *damagedBlob) Damage() error { return b.cause }

func (b *damagedBlob) Open(_, _ int64) (io.ReadCloser, error) { return nil, b.cause }

func (b *damagedBlob) Release() {
	if b.drop() {
		b.disk.garbage.add(b.id)
	}
}

func (*damagedBlob) stored() bool { return true }

func (*damagedBlob) store(*bolt.Tx) error { return nil }

func (*damagedBlob) settle() {}

// fileOf returns the blob of a file. It moves a damaged file to quarantine, so that only users of
// this blob are affected.
func (d *Disk) fileOf(id BlobID, e entry) (storable, error) {
	info, err := os.Stat(d.path(id))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return d.damaged(id, e)
	case err != nil:
		return nil, fmt.Errorf("cannot inspect blob %d: %w", id, err)
	case info.Size() == e.size:
		blob := &fileBlob{disk: d, id: id, size: e.size}
		blob.settle()
		return blob, nil
	}
	if err := d.quarantine(id); err != nil {
		return nil, fmt.Errorf("blob %s %w, and cannot be moved away: %w", d.path(id), ErrDamaged, err)
	}
	return d.damaged(id, e)
}

// damaged returns a blob whose file is missing, and may be in quarantine.
func (d *Disk) damaged(id BlobID, e entry) (storable, error) {
	latest := ""
	for path := range d.quarantined(id) {
		if _, err := os.Stat(path); err != nil {
			break
		}
		latest = path
	}
	cause := fmt.Errorf("blob %s %w: it is missing", d.path(id), ErrDamaged)
	if latest != "" {
		info, err := os.Stat(latest)
		if err != nil {
			return nil, err
		}
		cause = fmt.Errorf("blob %s %w: it has %d bytes, and should have %d; the rest is in %s",
			d.path(id), ErrDamaged, info.Size(), e.size, latest)
	}
	return &damagedBlob{disk: d, id: id, size: e.size, cause: cause}, nil
}

// quarantined yields the paths of the damaged files of a blob, in the order of their use: a file
// that a user restores may be damaged, too.
func (d *Disk) quarantined(id BlobID) func(yield func(string) bool) {
	first := filepath.Join(d.dir, quarantineName, filepath.Base(d.path(id)))
	return func(yield func(string) bool) {
		for i, path := 1, first; yield(path); i++ {
			path = first + "." + strconv.Itoa(i)
		}
	}
}

func (d *Disk) quarantine(id BlobID) error {
	dir := filepath.Join(d.dir, quarantineName)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	for path := range d.quarantined(id) {
		if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
			return errors.Join(os.Rename(d.path(id), path), atomicfile.SyncDir(dir), atomicfile.SyncDir(filepath.Dir(d.path(id))))
		} else if err != nil {
			return err
		}
	}
	return nil
}

// reserveQuarantined keeps the IDs of files in quarantine from being used again.
func (d *Disk) reserveQuarantined() error {
	files, err := os.ReadDir(filepath.Join(d.dir, quarantineName))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, file := range files {
		name, _, _ := strings.Cut(file.Name(), ".")
		if id, ok := fileID(name); ok {
			d.lastID.Store(max(d.lastID.Load(), uint64(id)))
		}
	}
	return nil
}
