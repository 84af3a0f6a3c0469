// Package backend compares the backend of a scenario with its expectations, changes it without COSI,
// and cleans it up. The backend is the store of the emulator, or of a driver of the user: the package
// then knows the backend by the calls of the driver.
package backend

import (
	"context"
	"fmt"
	"slices"

	"github.com/cosi-emu/cosi-emu/internal/scenario/limits"
	"github.com/cosi-emu/cosi-emu/internal/scenario/match"
	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
	"github.com/cosi-emu/cosi-emu/internal/scenario/render"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
	"github.com/cosi-emu/cosi-emu/internal/scenario/variables"
)

// Backend is the backend of a scenario.
type Backend interface {
	// Change makes the changes of a step directly in the backend, without COSI.
	Change(ctx context.Context, asked *spec.Backend) error
	// Compare returns an *outcome.Failure for the first difference.
	Compare(ctx context.Context, expected *spec.Backend) error
	// Empty deletes the objects in the scenario's buckets.
	Empty(ctx context.Context) error
	// CleanUp deletes the scenario's buckets and accounts that COSI has left.
	CleanUp(ctx context.Context) error
}

// Scenario is the part of a running scenario that its backend needs.
type Scenario struct {
	Variables *variables.Set
	Puts      *limits.Puts
	External  *External
	// IsOwn reports whether a bucket or account belongs to this scenario.
	IsOwn func(name string) bool
}

func (s *Scenario) compare(ctx context.Context, kind string, expected spec.Named, got map[string]any, only bool) error {
	var known []string
	for _, one := range expected {
		name, err := s.Variables.Text(ctx, one.Name)
		if err != nil {
			return err
		}
		known = append(known, name)
		value, ok := got[name]
		if !ok {
			value = match.Missing
		}
		differences, err := match.Match(one.Pattern, value, s.Variables.Now(ctx))
		if err != nil {
			return err
		}
		if len(differences) > 0 {
			return &outcome.Failure{
				Message: fmt.Sprintf("backend %s %q: condition not met", kind, name), Differences: differences,
				Expected: render.Expected(one.Pattern, s.Variables.Now(ctx)), Got: render.YAML(got[name]),
			}
		}
	}
	for name := range got {
		if only && !slices.Contains(known, name) && s.IsOwn(name) {
			return &outcome.Failure{Message: fmt.Sprintf("unexpected backend %s %q", kind, name), Got: render.YAML(got[name])}
		}
	}
	return nil
}
