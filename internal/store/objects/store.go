package objects

import (
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/s3error"
	"github.com/cosi-emu/cosi-emu/internal/store/blobstore"
)

// Store has the buckets. Its methods are safe for concurrent use.
type Store struct {
	options  Options
	sequence atomic.Uint64

	creating sync.Mutex // held by CreateBucket while it writes to the blob store
	mu       sync.RWMutex
	buckets  map[string]*Bucket

	random sync.Mutex // guards Options.Rand

	damaged []Damage
}

// Options configure a store.
type Options struct {
	// Blobs stores contents and records; required. The caller closes it.
	Blobs blobstore.Store
	// Rand is the source of the IDs of versions and uploads; required.
	Rand io.Reader
	// Now is the clock for the times of versions; required.
	Now func() time.Time
	// MinPartBytes is the minimum size of a part of an upload, except the last. Default: S3's 5
	// MiB.
	MinPartBytes int64
}

const minPartBytes = 5 << 20

// New returns a store with the contents of the blob store. After all packages have loaded their
// records, the caller calls Sweep of the blob store.
func New(options Options) (*Store, error) {
	if options.MinPartBytes <= 0 {
		options.MinPartBytes = minPartBytes
	}
	s := &Store{options: options, buckets: map[string]*Bucket{}}
	if err := s.load(); err != nil {
		return nil, err
	}
	return s, nil
}

// CreateBucket creates an empty bucket with an ID that was never used before. It makes the other
// changes in the same commit.
func (s *Store) CreateBucket(id string, config Config, with ...blobstore.Change) error {
	s.creating.Lock()
	defer s.creating.Unlock()
	if _, err := s.Bucket(id); err == nil {
		return fmt.Errorf("bucket %q is there already", id)
	}
	b := newBucket(s, id, config)
	if err := s.commitWith(with, b.recordConfig(config)); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.buckets[id] = b
	return nil
}

// Bucket returns a bucket. The error is NoSuchBucket.
func (s *Store) Bucket(id string) (*Bucket, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	b, ok := s.buckets[id]
	if !ok {
		return nil, s3error.ErrNoSuchBucket
	}
	return b, nil
}

// DeleteBucket deletes a bucket with its uploads. The error is NoSuchBucket, or BucketNotEmpty if
// it has a version of an object, unless purge is set. Purging ignores locks. It makes the other
// changes in the same commit.
func (s *Store) DeleteBucket(id string, purge bool, with ...blobstore.Change) error {
	b, err := s.Bucket(id)
	if err != nil {
		return err
	}
	if err := b.retire(purge, with); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.buckets, id)
	return nil
}

// next returns the number of a new version, which is greater than all earlier ones. It is a time in
// microseconds, so that a reopened store does not reuse the number of a deleted version.
func (s *Store) next() uint64 {
	now := uint64(max(s.options.Now().UnixMicro(), 0))
	for {
		last := s.sequence.Load()
		number := max(last+1, now)
		if s.sequence.CompareAndSwap(last, number) {
			return number
		}
	}
}

// now returns the time of a change. S3's times have milliseconds.
func (s *Store) now() int64 { return s.options.Now().Truncate(time.Millisecond).UnixNano() }

func (s *Store) newID() (string, error) {
	var entropy [16]byte
	s.random.Lock()
	defer s.random.Unlock()
	if _, err := io.ReadFull(s.options.Rand, entropy[:]); err != nil {
		return "", fmt.Errorf("cannot read random bytes for an ID: %w", err)
	}
	return idEncoding.EncodeToString(entropy[:]), nil
}
