package sandbox

import (
	"context"
	"errors"
	"os"
	"runtime/debug"
	"sync"

	"github.com/cosi-emu/cosi-emu/internal/controlplane/kind"
	"github.com/cosi-emu/cosi-emu/internal/explore/run"
)

// Pool holds the sandboxes, and starts each on its first use.
type Pool struct {
	// Options configure the sandboxes.
	Options Options

	places chan *Sandbox // nil: not started yet

	mu    sync.Mutex
	alive map[*Sandbox]bool

	restoreGC func()
}

// ownGCPercent is GOGC of this process while it has the API servers of the sandboxes. The
// programs of envtest have gcPercent; here the heaps of all sandboxes are one.
const ownGCPercent = 200

// NewPool returns a pool without a running sandbox.
func NewPool(opts Options) *Pool {
	opts.rest = &restStates{}
	p := &Pool{Options: opts, places: make(chan *Sandbox, opts.Count), alive: map[*Sandbox]bool{}, restoreGC: func() {}}
	if opts.Plane.Kind == kind.Embedded && os.Getenv("GOGC") == "" {
		before := debug.SetGCPercent(ownGCPercent)
		p.restoreGC = func() { debug.SetGCPercent(before) }
	}
	for range opts.Count {
		p.places <- nil
	}
	return p
}

// Take waits for an unused sandbox, and starts it if necessary.
func (p *Pool) Take(ctx context.Context) (*Sandbox, error) {
	select {
	case w := <-p.places:
		if w != nil {
			return w, nil
		}
		w, err := newSandbox(ctx, p.Options)
		if err != nil {
			p.places <- nil
			return nil, err
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		p.alive[w] = true
		return w, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func (p *Pool) give(w *Sandbox) { p.places <- w }

// Drop stops a sandbox; Take starts a new one in its place.
func (p *Pool) Drop(ctx context.Context, w *Sandbox) error {
	p.mu.Lock()
	delete(p.alive, w)
	p.mu.Unlock()
	err := w.stop(context.WithoutCancel(ctx))
	p.places <- nil
	return err
}

// Stop stops all sandboxes. They must be unused.
func (p *Pool) Stop(ctx context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all sync.WaitGroup
	var mu sync.Mutex
	var errs []error
	for w := range p.alive {
		all.Go(func() {
			err := w.stop(ctx)
			mu.Lock()
			defer mu.Unlock()
			errs = append(errs, err)
		})
	}
	all.Wait()
	p.restoreGC()
	return errors.Join(errs...)
}

// Lend calls use with a sandbox. The function returns the sandbox after use, or its
// replacement, or nil.
func (p *Pool) Lend(ctx context.Context, use func(*Sandbox) (*Sandbox, error)) error {
	w, err := p.Take(ctx)
	if err != nil {
		return err
	}
	if w, err = use(w); w != nil {
		p.give(w)
	}
	return err
}

// ResetAfter resets a sandbox, or replaces it. With an error, the sandbox may be nil.
func (p *Pool) ResetAfter(ctx context.Context, w *Sandbox, o *run.Record) (*Sandbox, error) {
	_, err := w.Reset(ctx, o)
	return p.ReplaceUnclean(ctx, w, err)
}

// ReplaceUnclean replaces a sandbox if its reset has failed to clean it. The sandbox is
// nil if that fails, too.
func (p *Pool) ReplaceUnclean(ctx context.Context, w *Sandbox, err error) (*Sandbox, error) {
	if !errors.Is(err, errNotClean) {
		return w, err
	}
	if err := p.Drop(ctx, w); err != nil {
		return nil, err
	}
	return p.Take(ctx)
}

// ForgetStates has each state at rest judged again: a busy machine may have judged one too early.
func (p *Pool) ForgetStates() { p.Options.rest.known.Clear() }

// Size returns the number of sandboxes.
func (p *Pool) Size() int { return p.Options.Count }
