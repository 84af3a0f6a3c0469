// Package outage makes the backend of the fake driver fail, and lose buckets, as specified by the
// files of a directory. So a script can control a backend in another process, whether that process
// runs or not.
package outage

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"sync"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/s3error"
)

// The files of the directory.
const (
	// FileFail makes the backend reject all operations while it exists.
	FileFail = "fail"
	// DirLose has a file for each bucket to lose, with the bucket's name. The backend deletes the
	// bucket and the file before its next operation.
	DirLose = "lose"
)

// Loser loses buckets.
type Loser interface {
	// LoseBucket deletes a bucket and its objects. The error is of kind fakedriver.ErrNotExist for
	// an unknown bucket.
	LoseBucket(ctx context.Context, name string) error
}

// Outage reads the directory before each operation. It is safe for concurrent use.
type Outage struct {
	dir   string
	loser Loser

	mu sync.Mutex
}

// New returns the outage of a directory, which need not exist.
func New(dir string, loser Loser) *Outage { return &Outage{dir: dir, loser: loser} }

// Service is the service whose requests fail.
type Service interface {
	Handler() http.Handler
	// AllowOrigin adds the headers that allow a page of another origin to read a response.
	AllowOrigin(w http.ResponseWriter, r *http.Request) http.ResponseWriter
}

// before deletes the buckets to be lost, and returns an error while the backend fails.
func (o *Outage) before(ctx context.Context) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if err := o.lose(ctx); err != nil {
		return err
	}
	switch _, err := os.Stat(filepath.Join(o.dir, FileFail)); {
	case err == nil:
		return status.Error(codes.Unavailable, "the object store fails: it has an outage")
	case errors.Is(err, fs.ErrNotExist):
		return nil
	default:
		return fmt.Errorf("read the outage directory: %w", err)
	}
}

func (o *Outage) lose(ctx context.Context) error {
	lost, err := os.ReadDir(filepath.Join(o.dir, DirLose))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read the outage directory: %w", err)
	}
	for _, file := range lost {
		if err := o.loser.LoseBucket(ctx, file.Name()); err != nil && !errors.Is(err, fakedriver.ErrNotExist) {
			return err
		}
		if err := os.Remove(filepath.Join(o.dir, DirLose, file.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("read the outage directory: %w", err)
		}
	}
	return nil
}

// Handler returns the handler of a store. The requests of applications fail, too.
func (o *Outage) Handler(s Service) http.Handler {
	next := s.Handler()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := o.before(r.Context()); err != nil {
			s3error.Write(s.AllowOrigin(w, r), r, "", s3error.ErrServiceUnavailable)
			return
		}
		next.ServeHTTP(w, r)
	})
}
