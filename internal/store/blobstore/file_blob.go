package blobstore

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync/atomic"

	bolt "go.etcd.io/bbolt"
)

type fileBlob struct {
	references

	known atomic.Bool // the catalogue has an entry
	disk  *Disk
	id    BlobID
	size  int64
}

func (b *fileBlob) ID() BlobID { return b.id }

func (b *fileBlob) Size() int64 { return b.size }

// Release deletes the file before the entry: at the next start, Sweep deletes an entry without file
// and record.
func (b *fileBlob) Release() {
	if !b.drop() {
		return
	}
	b.disk.removeFile(b.id)
	if b.stored() {
		b.disk.garbage.add(b.id)
	}
}

func (b *fileBlob) stored() bool { return b.known.Load() }

func (b *fileBlob) store(tx *bolt.Tx) error {
	return enter(tx, b.id, entry{size: b.size, file: true}, nil)
}

func (b *fileBlob) settle() { b.known.Store(true) }

func (b *fileBlob) Open(offset, length int64) (io.ReadCloser, error) {
	if err := checkRange(offset, length, b.size); err != nil {
		return nil, err
	}
	file, err := os.Open(b.disk.path(b.id))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("blob %s %w: it is missing", b.disk.path(b.id), ErrDamaged)
	}
	if err != nil {
		return nil, err
	}
	if _, err := file.Seek(offset, io.SeekStart); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return &fileReader{file: file, left: io.LimitedReader{R: file, N: length}}, nil
}

type fileReader struct {
	file *os.File
	left io.LimitedReader
}

func (r *fileReader) Read(buffer []byte) (int, error) {
	n, err := r.left.Read(buffer)
	if errors.Is(err, io.EOF) {
		err = r.atEnd()
	}
	return n, err
}

// WriteTo implements io.WriterTo. A TCP connection sends the file without a copy.
func (r *fileReader) WriteTo(w io.Writer) (int64, error) {
	buffer := borrowScratch()
	defer scratches.Put(buffer)
	n, err := io.CopyBuffer(w, &r.left, buffer[:])
	if err == nil && r.left.N > 0 {
		err = r.atEnd()
	}
	return n, err
}

// atEnd returns io.EOF, or an error if the file is shorter than the blob.
func (r *fileReader) atEnd() error {
	if r.left.N > 0 {
		return fmt.Errorf("blob %s %w: it is %d bytes too short", r.file.Name(), ErrDamaged, r.left.N)
	}
	return io.EOF
}

func (r *fileReader) Close() error { return r.file.Close() }
