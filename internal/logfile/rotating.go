package logfile

import (
	"errors"
	"io/fs"
	"os"
	"sync"
)

// Rotating is a file that does not grow above a limit: it becomes Earlier(path) then, in the place of the one
// before, and a new file begins. It is safe for concurrent use.
type Rotating struct {
	path  string
	limit int64

	mu   sync.Mutex
	file *os.File
	size int64
}

// Earlier returns the name of the file before a rotating one.
func Earlier(path string) string { return path + ".1" }

// OpenRotating opens a file to append to, or creates it for this user alone. The limit is in bytes.
func OpenRotating(path string, limit int64) (*Rotating, error) {
	r := &Rotating{path: path, limit: limit}
	if err := r.open(); err != nil {
		return nil, err
	}
	info, err := r.file.Stat()
	if err != nil {
		return nil, errors.Join(err, r.file.Close())
	}
	r.size = info.Size()
	return r, nil
}

func (r *Rotating) open() (err error) {
	r.file, err = os.OpenFile(r.path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	r.size = 0
	return err
}

// Write implements io.Writer. It never divides p.
func (r *Rotating) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.size > 0 && r.size+int64(len(p)) > r.limit {
		if err := errors.Join(r.file.Close(), os.Rename(r.path, Earlier(r.path)), r.open()); err != nil {
			return 0, err
		}
	}
	n, err := r.file.Write(p)
	r.size += int64(n)
	return n, err
}

// Close closes the file. Further calls do nothing.
func (r *Rotating) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.file.Close(); !errors.Is(err, fs.ErrClosed) {
		return err
	}
	return nil
}
