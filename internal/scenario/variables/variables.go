// Package variables holds the variables of a scenario while it runs, and evaluates the texts and
// values of its document with them.
package variables

import (
	"context"
	"maps"
	"sync"

	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
)

// Set holds the variables of one scenario. It is safe for concurrent use.
type Set struct {
	mu     sync.Mutex
	values map[string]any
}

// New returns a set with initial values.
func New(initial map[string]any) *Set { return &Set{values: maps.Clone(initial)} }

// Bind sets a variable.
func (s *Set) Bind(name string, value any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.values[name] = value
}

// local is the context key of variables of loops, which may run at the same time.
type local struct{}

// WithLocal returns a context in which a variable has a value of its own.
func WithLocal(ctx context.Context, name string, value any) context.Context {
	own, _ := ctx.Value(local{}).(map[string]any)
	own = maps.Clone(own)
	if own == nil {
		own = map[string]any{}
	}
	own[name] = value
	return context.WithValue(ctx, local{}, own)
}

// Now returns the current values, including those of the context.
func (s *Set) Now(ctx context.Context) map[string]any {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := maps.Clone(s.values)
	own, _ := ctx.Value(local{}).(map[string]any)
	maps.Copy(all, own)
	return all
}

// Text evaluates the expressions in a text.
func (s *Set) Text(ctx context.Context, t spec.Text) (string, error) {
	return t.Text(s.Now(ctx))
}
