package administration

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/store/authorization"
	"github.com/cosi-emu/cosi-emu/internal/store/objects"
	"github.com/cosi-emu/cosi-emu/internal/store/persistence"
)

// Administrator changes buckets and accounts. Its methods are safe for concurrent
// use.
type Administrator struct {
	options Options

	// turn is held by one change at a time: a grant reads several buckets and writes an account,
	// without other changes in between. It is a channel, so that waiting for it ends with a
	// context.
	turn      chan struct{}
	closing   chan struct{} // closed by Close
	closeOnce sync.Once
}

// Options are the dependencies of an administrator; all are required, except MaxAccounts.
type Options struct {
	Registry *authorization.Registry
	Records  persistence.Records
	// Contents are the objects of the buckets.
	Contents *objects.Store
	// MaxAccounts is the maximum number of accounts at a time, without administrators' ones.
	// Default: no limit.
	MaxAccounts int
	// Rand is the source of secret access keys.
	Rand io.Reader
	// Now is the clock for buckets and accounts.
	Now func() time.Time
}

// New returns an administrator.
func New(options Options) *Administrator {
	return &Administrator{options: options, turn: make(chan struct{}, 1), closing: make(chan struct{})}
}

// Close waits for the change in progress; later calls of any method return fakedriver.ErrClosed.
func (a *Administrator) Close() {
	a.closeOnce.Do(func() {
		a.turn <- struct{}{}
		close(a.closing)
		<-a.turn
	})
}

// Closing returns a channel that Close closes.
func (a *Administrator) Closing() <-chan struct{} { return a.closing }

// IsClosed reports whether Close has been called.
func (a *Administrator) IsClosed() bool {
	select {
	case <-a.closing:
		return true
	default:
		return false
	}
}

// exclusively runs one change of buckets or accounts at a time. It returns the context's error if
// that ends before the change starts. A started change is completed.
func (a *Administrator) exclusively(ctx context.Context, change func() error) error {
	if err := a.enter(ctx); err != nil {
		return err
	}
	defer a.leave()
	return change()
}

// enter waits for the turn. Without an error, leave must follow.
func (a *Administrator) enter(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case a.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	if err := a.usable(ctx); err != nil {
		a.leave()
		return err
	}
	return nil
}

func (a *Administrator) leave() { <-a.turn }

func (a *Administrator) usable(ctx context.Context) error {
	if a.IsClosed() {
		return fakedriver.ErrClosed
	}
	return ctx.Err()
}

func (a *Administrator) now() time.Time { return a.options.Now().UTC().Truncate(time.Second) }

func notExist(kind, name string) error {
	return fmt.Errorf("%s %q %w", kind, name, fakedriver.ErrNotExist)
}

func conflict(kind, name, how string) error {
	return fmt.Errorf("%s %q %w: %s", kind, name, fakedriver.ErrConflict, how)
}
