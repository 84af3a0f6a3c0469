package match

import (
	"fmt"
	"slices"

	"github.com/cosi-emu/cosi-emu/internal/counted"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
)

// keys are the fields that identify the items of a list, in order of preference. They are the list
// map keys of the Kubernetes API and of COSI.
var keys = []string{"type", "bucketClaimName", "bucketName", "bucketID", "bucket", "name", "key", "uid"}

// list compares lists. If all items of the pattern have the same key, it compares by key, and
// ignores the order and further items. Otherwise it compares item by item.
func (m *matcher) list(path string, p spec.Pattern, got any) {
	items, ok := got.([]any)
	if !ok && !isAbsent(got) || m.gone && len(p.Items) == 0 {
		m.differ(path, p, "a list", got)
		return
	}
	if key := keyOf(p.Items); key != "" {
		m.keyed(path, key, p, items)
		return
	}
	if len(items) != len(p.Items) {
		m.differ(path, p, counted.Of(len(p.Items), "item"), counted.Of(len(items), "item")+": "+render(items))
		return
	}
	for i, item := range p.Items {
		m.value(index(path, i), item, items[i])
	}
}

func keyOf(items []spec.Pattern) string {
	for _, key := range keys {
		if len(items) > 0 && allHave(items, key) {
			return key
		}
	}
	return ""
}

// KeyOf returns the key by which a list with the given items is compared, or "" for a comparison
// item by item.
func KeyOf(items []any) string {
	for _, key := range keys {
		without := func(item any) bool {
			object, _ := item.(map[string]any)
			switch object[key].(type) {
			case nil, []any, map[string]any:
				return true
			}
			return false
		}
		if len(items) > 0 && !slices.ContainsFunc(items, without) {
			return key
		}
	}
	return ""
}

func allHave(items []spec.Pattern, key string) bool {
	for _, item := range items {
		if value := fieldOf(item, key); value == nil || value.Scalar == nil {
			return false
		}
	}
	return true
}

func fieldOf(p spec.Pattern, name string) *spec.Pattern {
	for i := range p.Fields {
		if p.Fields[i].Name == name {
			return &p.Fields[i].Pattern
		}
	}
	return nil
}

func (m *matcher) keyed(path, key string, p spec.Pattern, items []any) {
	for _, item := range p.Items {
		want, err := m.wanted(fieldOf(item, key).Scalar)
		if err != nil {
			m.err = fmt.Errorf("%s: %w", item.Position, err)
			return
		}
		m.value(fmt.Sprintf("%s[%s=%v]", path, key, want), item, find(items, key, want))
	}
}

func find(items []any, key string, want any) any {
	for _, item := range items {
		if object, ok := item.(map[string]any); ok && equal(want, object[key]) {
			return item
		}
	}
	return Missing
}
