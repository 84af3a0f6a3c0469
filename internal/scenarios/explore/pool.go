package explore

import (
	"context"
	"errors"
	"sync"
)

// pool has the sandboxes. They are started when they are first needed, all at the same
// time after the first.
type pool struct {
	options Options
	places  chan *sandbox // nil where no sandbox was started yet

	mu    sync.Mutex
	alive map[*sandbox]bool
}

func newPool(opts Options) *pool {
	p := &pool{options: opts, places: make(chan *sandbox, opts.Sandboxes), alive: map[*sandbox]bool{}}
	for range opts.Sandboxes {
		p.places <- nil
	}
	return p
}

// take returns a sandbox that nobody else uses.
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

// give returns a sandbox to be used again.
func (p *pool) give(w *sandbox) { p.places <- w }

// drop throws a sandbox away; another one will take its place.
func (p *pool) drop(ctx context.Context, w *sandbox) error {
	p.mu.Lock()
	delete(p.alive, w)
	p.mu.Unlock()
	err := w.stop(context.WithoutCancel(ctx))
	p.places <- nil
	return err
}

// stop ends all sandboxes, when nobody uses them any more.
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
	return errors.Join(errs...)
}

// lend has a function use a sandbox. It returns the sandbox when it is done with it, or
// another one that has taken its place, or none.
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
