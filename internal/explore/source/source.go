package source

import (
	"errors"
	"fmt"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/cosi-emu/cosi-emu/internal/explore/plan"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
)

// ErrScenario means that a scenario is invalid.
var ErrScenario = errors.New("invalid scenario")

// StepTimeout is the timeout of a step that sets none. A component repeats an operation
// within a second or two of a fault.
const StepTimeout = 5 * time.Second

// Load loads the only scenario of a file, rewritten for exploration.
func Load(file string, text []byte) (*spec.Scenario, error) {
	written, err := ParseOne(spec.Loader{}, file, text)
	if err != nil {
		return nil, err
	}
	if reason := unfit(written); reason != "" {
		return nil, fmt.Errorf("%w: %s cannot be explored: %s", ErrScenario, file, reason)
	}
	empty := false
	rewrite := func(document *yaml.Node) {
		Rewrite(Field(document, "steps"))
		empty = empty || Value(document, "kind") == spec.Kind && len(Field(document, "steps").Content) == 0
	}
	s, err := ParseOne(spec.Loader{Rewrite: rewrite}, file, text)
	switch {
	case empty:
		return nil, fmt.Errorf("%w: %s has no step that can be explored", plan.ErrOptions, file)
	case err != nil:
		return nil, fmt.Errorf("after removing the steps that exploration skips: %w", err)
	}
	s.Setup.Timeout = spec.Duration(s.Setup.Timeout.Or(spec.Duration(StepTimeout)))
	return s, nil
}

// ParseOne parses a file with exactly one scenario.
func ParseOne(loader spec.Loader, file string, text []byte) (*spec.Scenario, error) {
	all, err := loader.Parse(file, text)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrScenario, err)
	}
	if len(all) != 1 {
		return nil, fmt.Errorf("%w: %s has %d scenarios; exploration requires exactly one", plan.ErrOptions, file, len(all))
	}
	return all[0], nil
}
