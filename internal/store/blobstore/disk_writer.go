package blobstore

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// diskWriter collects a small blob in memory, and writes a larger one to a file.
type diskWriter struct {
	disk    *Disk
	scratch *scratch // nil after the end
	filled  int      // bytes in scratch that are not in the file
	file    *os.File // nil while the blob is small
	id      BlobID   // of the file
	size    int64
}

func (w *diskWriter) Write(p []byte) (int, error) {
	if w.scratch == nil {
		return 0, errEnded
	}
	if w.file == nil && w.filled+len(p) < inlineLimit {
		w.took(copy(w.scratch[w.filled:], p))
		return len(p), nil
	}
	if err := w.flush(); err != nil {
		return 0, err
	}
	n, err := w.file.Write(p)
	w.size += int64(n)
	return n, err
}

func (w *diskWriter) ReadFrom(r io.Reader) (int64, error) {
	if w.scratch == nil {
		return 0, errEnded
	}
	var total int64
	for {
		if w.filled == inlineLimit {
			if err := w.flush(); err != nil {
				return total, err
			}
		}
		n, err := r.Read(w.scratch[w.filled:])
		w.took(n)
		total += int64(n)
		if errors.Is(err, io.EOF) {
			return total, nil
		}
		if err != nil {
			return total, err
		}
	}
}

func (w *diskWriter) took(n int) {
	w.filled += n
	w.size += int64(n)
}

// flush writes the collected bytes to the file, which it creates first.
func (w *diskWriter) flush() error {
	if w.file == nil {
		id := w.disk.nextID()
		file, err := os.OpenFile(w.disk.path(id), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return fmt.Errorf("cannot create a file for a blob: %w", err)
		}
		w.file, w.id = file, id
	}
	_, err := w.file.Write(w.scratch[:w.filled])
	w.filled = 0
	return err
}

func (w *diskWriter) Seal() (Blob, error) {
	if w.scratch == nil {
		return nil, errEnded
	}
	defer w.Abort() // deletes everything that the blob has not taken over
	if w.disk.isClosed() {
		return nil, ErrClosed
	}
	if w.file == nil && w.filled < inlineLimit {
		return w.disk.newInlineBlob(exactly(w.scratch[:w.filled])), nil
	}
	if err := w.flush(); err != nil {
		return nil, err
	}
	if err := w.file.Sync(); err != nil {
		return nil, err
	}
	if err := w.file.Close(); err != nil {
		return nil, err
	}
	w.file = nil
	blob := &fileBlob{disk: w.disk, id: w.id, size: w.size}
	blob.Retain()
	return blob, nil
}

func (w *diskWriter) Abort() {
	if w.scratch == nil {
		return
	}
	scratches.Put(w.scratch)
	w.scratch = nil
	if w.file != nil {
		_ = w.file.Close() // the file is deleted
		w.disk.removeFile(w.id)
	}
}
