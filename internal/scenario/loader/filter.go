package loader

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/cosi-emu/cosi-emu/internal/glob"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
)

// Filter selects scenarios. The zero value selects all.
type Filter struct {
	selector labels.Selector
	names    []string
}

// NewFilter returns a filter for scenarios whose labels match a selector of Kubernetes, such as
// `area=deletion,speed!=slow`, and whose name matches one of the patterns of package glob. Empty
// arguments match anything. The error explains an invalid selector.
func NewFilter(selector string, names []string) (Filter, error) {
	parsed, err := labels.Parse(selector)
	if err != nil {
		return Filter{}, fmt.Errorf("label selector %q: %w", selector, err)
	}
	return Filter{parsed, names}, nil
}

// Select returns the scenarios that match. The error is ErrNothing if there are none, or none whose name matches one of the
// patterns.
func (f Filter) Select(all []*spec.Scenario) ([]*spec.Scenario, error) {
	var selected []*spec.Scenario
	for _, s := range all {
		if f.matches(s) {
			selected = append(selected, s)
		}
	}
	if len(selected) == 0 && len(all) > 0 {
		return nil, fmt.Errorf("%w: none of %d matches the labels and names", ErrNothing, len(all))
	}
	for _, pattern := range f.names {
		if !slices.ContainsFunc(all, func(s *spec.Scenario) bool { return glob.Match(pattern, s.Name) }) {
			return selected, fmt.Errorf("%w: none of %d has the name %s", ErrNothing, len(all), pattern)
		}
	}
	return selected, nil
}

func (f Filter) matches(s *spec.Scenario) bool {
	if f.selector != nil && !f.selector.Matches(labels.Set(s.Labels)) {
		return false
	}
	return len(f.names) == 0 || slices.ContainsFunc(f.names, func(pattern string) bool {
		return glob.Match(pattern, s.Name)
	})
}
