package explore

import "context"

// lend has a function use a world. It returns the world when it is done with it, or
// another one that has taken its place, or none.
func (p *pool) lend(ctx context.Context, use func(*world) (*world, error)) error {
	w, err := p.take(ctx)
	if err != nil {
		return err
	}
	if w, err = use(w); w != nil {
		p.give(w)
	}
	return err
}
