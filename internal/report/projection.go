package report

import (
	"fmt"

	"github.com/cosi-emu/cosi-emu/internal/scenario/match"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
)

// projection reduces an expected and an actual value to their differences: it removes fields
// without expectations from the actual value, and replaces true conditions by the actual values.
type projection struct {
	// differs has the paths of the differences in the form of package match.
	differs map[string]bool
}

// condition is the field of a mapping that stands for a CEL expression.
const condition = "cel"

func (p projection) value(path string, want, have any) (wanted, had any) {
	switch want := want.(type) {
	case map[string]any:
		return p.mapping(path, want, have)
	case []any:
		if items, ok := have.([]any); ok {
			return p.list(path, want, items)
		}
	}
	if p.differs[path] {
		return want, have
	}
	return have, have
}

func (p projection) mapping(path string, want map[string]any, have any) (wanted, had any) {
	object, ok := have.(map[string]any)
	if _, isCondition := want[condition]; isCondition && len(want) == 1 && !p.differs[path] {
		return have, have
	}
	if !ok {
		return want, have
	}
	left, right := map[string]any{}, map[string]any{}
	for name, field := range want {
		value, there := object[name]
		inner := join(path, name)
		switch {
		case !there && field == spec.Absent && !p.differs[inner]:
			continue // it matches
		case !there:
			left[name] = field
		default:
			left[name], right[name] = p.value(inner, field, value)
		}
	}
	return left, right
}

func (p projection) list(path string, want, have []any) (wanted, had any) {
	if p.differs[path] {
		return want, have
	}
	key := match.KeyOf(want)
	left, right := make([]any, 0, len(want)), make([]any, 0, len(want))
	for i, item := range want {
		inner, found := correspondingItem(path, key, i, item, have)
		if found == nil {
			left = append(left, item)
			continue
		}
		a, b := p.value(inner, item, found)
		left, right = append(left, a), append(right, b)
	}
	return left, right
}

// correspondingItem returns the item to compare with, and the path of both: the item with the same
// key, or with the same number.
func correspondingItem(path, key string, i int, item any, have []any) (string, any) {
	object, ok := item.(map[string]any)
	if key == "" || !ok {
		inner := fmt.Sprintf("%s[%d]", path, i)
		if i >= len(have) {
			return inner, nil
		}
		return inner, have[i]
	}
	inner := fmt.Sprintf("%s[%s=%v]", path, key, object[key])
	for _, candidate := range have {
		if other, ok := candidate.(map[string]any); ok && other[key] == object[key] {
			return inner, candidate
		}
	}
	return inner, nil
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}
