package engine

import (
	"context"
	"fmt"
	"slices"

	"github.com/cosi-emu/cosi-emu/internal/scenarios/match"
	"github.com/cosi-emu/cosi-emu/internal/scenarios/spec"
)

// backend changes the backend, and then compares its state with the expected one.
func (r *run) backend(ctx context.Context, s *spec.Step) (any, error) {
	if err := r.changeBackend(ctx, s.Backend); err != nil {
		return nil, err
	}
	truth, err := r.backendState(ctx)
	if err != nil {
		return nil, err
	}
	for _, part := range []struct {
		kind     string
		expected spec.Named
		got      map[string]any
		only     bool
	}{
		{"bucket", s.Backend.Buckets, truth.buckets, s.Backend.Only},
		{"account", s.Backend.Accounts, truth.accounts, s.Backend.Only},
		{"policy of bucket", s.Backend.Policies, truth.policies, false},
	} {
		if err := r.compareBackend(ctx, part.kind, part.expected, part.got, part.only); err != nil {
			return nil, err
		}
	}
	if err := r.compareObjects(ctx, s.Backend.Objects); err != nil {
		return nil, err
	}
	return nil, nil //nolint:nilnil // no value to bind
}

func (r *run) compareBackend(ctx context.Context, kind string, expected spec.Named, got map[string]any, only bool) error {
	var known []string
	for _, one := range expected {
		name, err := r.text(ctx, one.Name)
		if err != nil {
			return err
		}
		known = append(known, name)
		value, ok := got[name]
		if !ok {
			value = match.Missing
		}
		differences, err := match.Match(one.Pattern, value, r.variablesNow(ctx))
		if err != nil {
			return err
		}
		if len(differences) > 0 {
			return &Failure{
				Message: fmt.Sprintf("backend %s %q: condition not met", kind, name), Differences: differences,
				Expected: expectedYAML(one.Pattern, r.variablesNow(ctx)), Got: toYAML(got[name]),
			}
		}
	}
	for name := range got {
		if only && !slices.Contains(known, name) && r.isOwn(name) {
			return &Failure{Message: fmt.Sprintf("unexpected backend %s %q", kind, name), Got: toYAML(got[name])}
		}
	}
	return nil
}

// isOwn reports whether a bucket or account belongs to this scenario.
func (r *run) isOwn(name string) bool {
	scope := r.ownScope()
	scope.Namespaces = nil // other runs may share the namespace
	return scope.Names(name)
}
