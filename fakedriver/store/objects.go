package store

import (
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3bolt"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
)

// objects is where objects are kept, by bucket and key. It knows nothing of
// accounts, owners and parameters.
type objects interface {
	gofakes3.Backend
	close() error
}

type memoryObjects struct{ *s3mem.Backend }

func (memoryObjects) close() error { return nil }

func newMemoryObjects(clock clock) objects {
	return memoryObjects{s3mem.New(s3mem.WithTimeSource(clock))}
}

type boltObjects struct {
	*s3bolt.Backend
	closeDB func() error
}

func (o boltObjects) close() error { return o.closeDB() }

func openObjects(path string, clock clock) (objects, error) {
	db, err := openBolt(path)
	if err != nil {
		return nil, err
	}
	return boltObjects{s3bolt.New(db, s3bolt.WithTimeSource(clock)), db.Close}, nil
}

// newCore returns gofakes3's protocol core. Its checks of time are off, because
// ours come first; so is versioning, which its memory backend cannot undo
// without damage.
func newCore(o objects, clock clock) *gofakes3.GoFakeS3 {
	return gofakes3.New(o, gofakes3.WithTimeSource(clock), gofakes3.WithTimeSkewLimit(0),
		gofakes3.WithoutVersioning(), gofakes3.WithUnimplementedPageError())
}

// clock is the store's clock in the form that gofakes3 takes.
type clock func() time.Time

// Now implements gofakes3.TimeSource.
func (c clock) Now() time.Time { return c().UTC() }

// Since implements gofakes3.TimeSource.
func (c clock) Since(t time.Time) time.Duration { return c().Sub(t) }
