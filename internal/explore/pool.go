package explore

import (
	"context"
	"errors"
	"os"
	"runtime/debug"
	"sync"

	"github.com/cosi-emu/cosi-emu/internal/controlplane/selection"
)

// pool holds the sandboxes, and starts each on its first use.
type pool struct {
	options sandboxOptions
	places  chan *sandbox // nil: not started yet

	mu    sync.Mutex
	alive map[*sandbox]bool

	restoreGC func()
}

// ownGCPercent is GOGC of this process while it has the API servers of the sandboxes. The
// programs of envtest have gcPercent; here the heaps of all sandboxes are one.
const ownGCPercent = 200

func newPool(opts sandboxOptions) *pool {
	p := &pool{options: opts, places: make(chan *sandbox, opts.Count), alive: map[*sandbox]bool{}, restoreGC: func() {}}
	if opts.Plane.Kind == selection.Embedded && os.Getenv("GOGC") == "" {
		before := debug.SetGCPercent(ownGCPercent)
		p.restoreGC = func() { debug.SetGCPercent(before) }
	}
	for range opts.Count {
		p.places <- nil
	}
	return p
}

func (p *pool) take(ctx context.Context) (*sandbox, error) {
	select {
	case w := <-p.places:
		if w != nil {
			return w, nil
		}
		w, err := newSandbox(ctx, p.options)
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

func (p *pool) give(w *sandbox) { p.places <- w }

// drop stops a sandbox; take starts a new one in its place.
func (p *pool) drop(ctx context.Context, w *sandbox) error {
	p.mu.Lock()
	delete(p.alive, w)
	p.mu.Unlock()
	err := w.stop(context.WithoutCancel(ctx))
	p.places <- nil
	return err
}

// stop stops all sandboxes. They must be unused.
func (p *pool) stop(ctx context.Context) error {
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

// lend calls use with a sandbox. The function returns the sandbox after use, or its
// replacement, or nil.
func (p *pool) lend(ctx context.Context, use func(*sandbox) (*sandbox, error)) error {
	w, err := p.take(ctx)
	if err != nil {
		return err
	}
	if w, err = use(w); w != nil {
		p.give(w)
	}
	return err
}

// resetAfter resets a sandbox, or replaces it. With an error, the sandbox may be nil.
func (p *pool) resetAfter(ctx context.Context, w *sandbox, o *runResult) (*sandbox, error) {
	_, err := w.reset(ctx, o)
	return p.recreatedAfter(ctx, w, err)
}

// recreatedAfter replaces a sandbox if its reset failed with errNotClean. The sandbox is
// nil if that fails, too.
func (p *pool) recreatedAfter(ctx context.Context, w *sandbox, err error) (*sandbox, error) {
	if !errors.Is(err, errNotClean) {
		return w, err
	}
	if err := p.drop(ctx, w); err != nil {
		return nil, err
	}
	return p.take(ctx)
}

// size returns the number of sandboxes.
func (p *pool) size() int { return p.options.Count }
