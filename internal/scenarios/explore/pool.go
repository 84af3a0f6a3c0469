package explore

import (
	"context"
	"errors"
	"sync"
)

// pool has the worlds. They are started when they are first needed, all at the same
// time after the first.
type pool struct {
	options Options
	places  chan *world // nil where no world was started yet

	mu    sync.Mutex
	alive map[*world]bool
}

func newPool(opts Options) *pool {
	p := &pool{options: opts, places: make(chan *world, opts.Worlds), alive: map[*world]bool{}}
	for range opts.Worlds {
		p.places <- nil
	}
	return p
}

// take returns a world that nobody else uses.
func (p *pool) take(ctx context.Context) (*world, error) {
	select {
	case w := <-p.places:
		if w != nil {
			return w, nil
		}
		w, err := newWorld(ctx, p.options)
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

// give returns a world to be used again.
func (p *pool) give(w *world) { p.places <- w }

// drop throws a world away; another one will take its place.
func (p *pool) drop(ctx context.Context, w *world) error {
	p.mu.Lock()
	delete(p.alive, w)
	p.mu.Unlock()
	err := w.stop(context.WithoutCancel(ctx))
	p.places <- nil
	return err
}

// stop ends all worlds, when nobody uses them any more.
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
