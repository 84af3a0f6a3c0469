package store

import (
	"context"
	"fmt"
	"time"

	"github.com/cosi-emu/cosi-emu/fakedriver"
)

// administer runs a change of buckets or accounts when no other is under way. It
// returns the context's error if that ends first; once begun, a change is
// finished.
func (s *Store) administer(ctx context.Context, change func() error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case s.admin <- struct{}{}:
		defer func() { <-s.admin }()
	case <-ctx.Done():
		return ctx.Err()
	}
	if s.isClosed() {
		return fakedriver.ErrClosed
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return change()
}

func (s *Store) now() time.Time { return s.options.Now().UTC().Truncate(time.Second) }

func notExist(kind, name string) error {
	return fmt.Errorf("%s %q %w", kind, name, fakedriver.ErrNotExist)
}

func conflict(kind, name, how string) error {
	return fmt.Errorf("%s %q %w: %s", kind, name, fakedriver.ErrConflict, how)
}
