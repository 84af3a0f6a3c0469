package conformance_test

import (
	"context"
	"crypto/rand"
	"strings"
	"sync"

	"github.com/cosi-emu/cosi-emu/fakedriver"
)

// secretSource is the store's source of bytes for secrets. It is random, unless a test has set the
// next secret.
type secretSource struct {
	of func(account string) string

	mu   sync.Mutex
	next string
}

// alphabet has the characters of the store's secrets: a byte selects one of them.
const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

// Read implements io.Reader.
func (s *secretSource) Read(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.next == "" {
		return rand.Read(p)
	}
	for i := range p {
		p[i] = byte(strings.IndexByte(alphabet, s.next[i%len(s.next)])) //nolint:gosec // all its characters are in the alphabet
	}
	return len(p), nil
}

// secretive is a backend that takes its secrets from its source.
type secretive struct {
	fakedriver.Backend

	source *secretSource
	mu     sync.Mutex
}

// PutAccount implements fakedriver.Backend.
func (s *secretive) PutAccount(ctx context.Context, spec fakedriver.AccountSpec) (fakedriver.Credentials, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.source.set(s.source.of(spec.ID))
	defer s.source.set("")
	return s.Backend.PutAccount(ctx, spec)
}

func (s *secretSource) set(next string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.next = next
}
