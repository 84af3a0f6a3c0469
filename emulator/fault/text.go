package fault

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// String renders the effect in a few words.
func (e Effect) String() string {
	k, ok := kindOf(e)
	if !ok {
		return "none"
	}
	texts := []string{textOf(k.name, k.of(e))}
	for _, d := range details {
		if d.given(e) {
			texts = append(texts, textOf(d.name, d.of(e)))
		}
	}
	if e.Delay != 0 && !k.isDelay() {
		texts = append(texts, "delay "+e.Delay.String())
	}
	return strings.Join(texts, " ")
}

func textOf(name string, value reflect.Value) string {
	switch v := value.Interface().(type) {
	case bool:
		return name
	case map[string]any:
		return name + " " + strings.Join(slices.Sorted(maps.Keys(v)), ", ")
	default:
		return fmt.Sprintf("%s %v", name, v)
	}
}

// String describes the matched operations in a few words: the seam, the patterns, and their
// limits.
func (m Match) String() string {
	texts, v := []string{string(m.Seam)}, reflect.ValueOf(m)
	for _, f := range reflect.VisibleFields(v.Type())[1:] {
		value := v.FieldByIndex(f.Index)
		switch _, pattern := f.Tag.Lookup("expression"); {
		case pattern && value.IsZero():
			texts = append(texts, "*")
		case pattern:
			texts = append(texts, value.String())
		case !value.IsZero():
			texts = append(texts, textOf(f.Tag.Get("yaml"), value))
		}
	}
	return strings.Join(texts, " ")
}
