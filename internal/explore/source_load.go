package explore

import (
	"errors"
	"fmt"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
	"go.yaml.in/yaml/v3"
)

// ErrScenario means that a scenario is invalid.
var ErrScenario = errors.New("invalid scenario")

// stepTimeout is the timeout of a step that sets none. A component repeats an operation
// within a second or two of a fault.
const stepTimeout = 5 * time.Second

// load loads the only scenario of a file, rewritten for exploration.
func load(file string, text []byte) (*spec.Scenario, error) {
	written, err := parseOne(spec.Loader{}, file, text)
	if err != nil {
		return nil, err
	}
	if reason := unfit(written); reason != "" {
		return nil, fmt.Errorf("%w: %s cannot be explored: %s", ErrScenario, file, reason)
	}
	empty := false
	rewrite := func(document *yaml.Node) {
		rewriteSteps(field(document, "steps"))
		empty = empty || value(document, "kind") == spec.Kind && len(field(document, "steps").Content) == 0
	}
	s, err := parseOne(spec.Loader{Rewrite: rewrite}, file, text)
	switch {
	case empty:
		return nil, fmt.Errorf("%w: %s has no step that can be explored", ErrOptions, file)
	case err != nil:
		return nil, fmt.Errorf("after removing the steps that exploration skips: %w", err)
	}
	s.Setup.Timeout = spec.Duration(s.Setup.Timeout.Or(spec.Duration(stepTimeout)))
	return s, nil
}

func parseOne(loader spec.Loader, file string, text []byte) (*spec.Scenario, error) {
	all, err := loader.Parse(file, text)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrScenario, err)
	}
	if len(all) != 1 {
		return nil, fmt.Errorf("%w: %s has %d scenarios; exploration requires exactly one", ErrOptions, file, len(all))
	}
	return all[0], nil
}
