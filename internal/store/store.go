package store

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/store/administration"
	"github.com/cosi-emu/cosi-emu/internal/store/authorization"
	"github.com/cosi-emu/cosi-emu/internal/store/blobstore"
	"github.com/cosi-emu/cosi-emu/internal/store/objects"
	"github.com/cosi-emu/cosi-emu/internal/store/persistence"
)

// Store is an object store with accounts. Its methods are safe for concurrent use.
type Store struct {
	*administration.Administrator

	options  Options
	registry *authorization.Registry
	blobs    blobstore.Store
	contents *objects.Store

	mu        sync.Mutex
	waits     []func()
	closeOnce sync.Once
	closeErr  error
}

// New opens a store. The caller must Close it.
func New(options Options) (*Store, error) {
	options = options.withDefaults()
	blobs, err := persistence.Open(options.Dir)
	if err != nil {
		return nil, err
	}
	s := &Store{options: options, registry: authorization.NewRegistry(), blobs: blobs}
	if err := s.load(); err != nil {
		return nil, errors.Join(err, blobs.Close())
	}
	return s, nil
}

// load creates the parts and loads the contents of the blob store.
func (s *Store) load() error {
	o := s.options
	contents, err := objects.New(objects.Options{Blobs: s.blobs, Rand: o.Rand, Now: o.Now})
	if err != nil {
		return err
	}
	s.contents = contents
	records := persistence.New(s.blobs)
	if err := records.Load(s.registry); err != nil {
		return err
	}
	if err := s.blobs.Sweep(); err != nil {
		return err
	}
	s.Administrator = administration.New(administration.Options{
		Registry: s.registry, Records: records, Contents: contents, MaxAccounts: o.MaxAccounts, Rand: o.Rand, Now: o.Now,
	})
	s.reportDamage()
	return nil
}

// reportDamage logs damaged contents. The rest is served.
func (s *Store) reportDamage() {
	for _, d := range s.Administrator.Damaged() {
		s.options.Logger.Error(d.Cause, "content is damaged: restore the file while the store is stopped, or write or delete the object",
			"bucket", d.Bucket, "key", d.Key, "version", d.Version, "upload", d.Upload)
	}
}

// Registry returns the current accounts, with which services authenticate requests.
func (s *Store) Registry() *authorization.Registry { return s.registry }

// Region returns the region that requests must be signed for.
func (s *Store) Region() string { return s.options.Region }

// Authenticate returns the caller with a key, for protocols whose clients send the
// secret. The error is of kind authorization.ErrIdentity or fakedriver.ErrClosed.
func (s *Store) Authenticate(accessKeyID, secret string) (*authorization.Caller, error) {
	if s.IsClosed() {
		return nil, fakedriver.ErrClosed
	}
	return s.registry.Authenticate(accessKeyID, secret)
}

// Caller returns the caller with a key, for protocols whose clients sign requests. It does not
// check a signature. The error is of kind authorization.ErrIdentity or fakedriver.ErrClosed.
func (s *Store) Caller(accessKeyID string) (*authorization.Caller, error) {
	if s.IsClosed() {
		return nil, fakedriver.ErrClosed
	}
	caller, known := s.registry.Caller(accessKeyID)
	if !known {
		return nil, fmt.Errorf("key %w", authorization.ErrIdentity)
	}
	return caller, nil
}

// Bucket returns the contents of a bucket of any protocol. The error is of kind fakedriver.ErrNotExist or
// fakedriver.ErrClosed.
func (s *Store) Bucket(ctx context.Context, name string) (*objects.Bucket, error) {
	b, err := s.GetBucket(ctx, name)
	if err != nil {
		return nil, err
	}
	return s.contents.Bucket(b.UID)
}

// Objects returns the contents of the buckets of all protocols. A bucket has its UID as ID
// there.
func (s *Store) Objects() *objects.Store { return s.contents }

// Blobs returns the store for the bytes that the services of all protocols receive.
func (s *Store) Blobs() blobstore.Store { return s.blobs }

// BeforeClose registers a function that Close calls after Closing and before it closes the files. It waits
// for the requests of a service.
func (s *Store) BeforeClose(wait func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waits = append(s.waits, wait)
}

// Close ends all services, and closes the store's files. Later requests are rejected.
func (s *Store) Close() error {
	s.closeOnce.Do(func() {
		s.Administrator.Close()
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, wait := range s.waits {
			wait()
		}
		s.closeErr = s.blobs.Close()
	})
	return s.closeErr
}
