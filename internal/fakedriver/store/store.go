package store

import (
	"errors"
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/cosi-emu/cosi-emu/internal/fakedriver/store/internal/blobstore"
	"github.com/cosi-emu/cosi-emu/internal/fakedriver/store/internal/objects"
)

// Store is an S3 store with accounts. Its methods are safe for concurrent use.
type Store struct {
	options  Options
	hosts    hosts
	registry *registry
	vault    blobstore.Vault
	ledger   ledger
	contents *objects.Store
	handler  http.Handler
	requests atomic.Uint64

	// admin is held by administrative methods, one at a time: a grant reads
	// several buckets and writes an account, and nothing may change in between.
	// It is a channel, so that waiting for it ends with a context.
	admin chan struct{}

	closing   chan struct{} // closed by Close
	closeOnce sync.Once
	closeErr  error
	servers   sync.WaitGroup
}

// New opens a store. The caller must Close it.
func New(options Options) (*Store, error) {
	options = options.withDefaults()
	bases, err := parseHosts(options.Hosts)
	if err != nil {
		return nil, err
	}
	s := &Store{options: options, hosts: bases, registry: newRegistry(), admin: make(chan struct{}, 1), closing: make(chan struct{})}
	if s.vault, err = openVault(options.Dir); err != nil {
		return nil, err
	}
	s.ledger = ledger{s.vault}
	if err := s.recall(); err != nil {
		return nil, errors.Join(err, s.vault.Close())
	}
	s.handler = http.HandlerFunc(s.serveS3)
	if options.Middleware != nil {
		s.handler = options.Middleware(s.handler)
	}
	return s, nil
}

// Handler returns the S3 service. It must be served as it is: a ServeMux in
// front would clean paths, which are object keys.
func (s *Store) Handler() http.Handler { return s.handler }

// Region returns the region that requests must be signed for.
func (s *Store) Region() string { return s.options.Region }

// Close ends every Serve and closes the store's files. Requests that come later,
// by way of Handler, are answered with ServiceUnavailable.
func (s *Store) Close() error {
	s.closeOnce.Do(func() {
		s.admin <- struct{}{}
		close(s.closing)
		<-s.admin
		s.servers.Wait()
		s.closeErr = s.vault.Close()
	})
	return s.closeErr
}

func (s *Store) isClosed() bool {
	select {
	case <-s.closing:
		return true
	default:
		return false
	}
}
