package spec

import (
	"maps"
	"reflect"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/internal/suggest"
)

// Fault is a fault with expressions in its patterns and in the values of set.
type Fault struct {
	fault.Fault

	// Patterns are the patterns of the match, by name.
	Patterns map[string]Text
	// Values are the values of set, by path.
	Values map[string]Value
}

func (f *Fault) decode(d *decoder, n *yaml.Node) {
	f.Patterns, f.Values = map[string]Text{}, map[string]Value{}
	v := reflect.ValueOf(&f.Fault).Elem()
	d.pairs(n, func(key, value *yaml.Node) {
		for _, field := range reflect.VisibleFields(v.Type()) {
			if field.Tag.Get("yaml") == key.Value {
				f.field(d, value, field, v.FieldByIndex(field.Index))
				return
			}
		}
		d.problem(key, "unknown field %q: %s", key.Value, suggest.From(key.Value, namesOf(v.Type())))
	})
}

func (f *Fault) field(d *decoder, n *yaml.Node, field reflect.StructField, into reflect.Value) {
	_, hasExpressions := field.Tag.Lookup("expression")
	_, negative := field.Tag.Lookup("negative")
	switch {
	case hasExpressions:
		var text Text
		d.value(n, reflect.ValueOf(&text).Elem())
		f.Patterns[field.Tag.Get("yaml")] = text
		into.SetString(text.Source())
	case field.Type.Kind() == reflect.Map:
		d.value(n, reflect.ValueOf(&f.Values).Elem())
	case field.Type == reflect.TypeFor[time.Duration]() && negative:
		d.value(n, into.Addr().Convert(reflect.TypeFor[*ClockOffset]()).Elem())
	case field.Type == reflect.TypeFor[time.Duration]():
		d.value(n, into.Addr().Convert(reflect.TypeFor[*Duration]()).Elem())
	default:
		d.value(n, into)
	}
}

// ComponentText returns the pattern of components with its expressions.
func (f *Fault) ComponentText() Text { return f.Patterns["component"] }

// Evaluate returns the fault with the values of its expressions, which the functions return.
func (f *Fault) Evaluate(text func(Text) (string, error), value func(*Value) (any, error)) (fault.Fault, error) {
	made := f.Fault
	v := reflect.ValueOf(&made).Elem()
	for _, field := range reflect.VisibleFields(v.Type()) {
		pattern, ok := f.Patterns[field.Tag.Get("yaml")]
		if !ok {
			continue
		}
		evaluated, err := text(pattern)
		if err != nil {
			return made, err
		}
		v.FieldByIndex(field.Index).SetString(evaluated)
	}
	if len(f.Values) > 0 {
		made.Set = make(map[string]any, len(f.Values))
	}
	for path, field := range f.Values {
		var err error
		if made.Set[path], err = value(&field); err != nil {
			return made, err
		}
	}
	return made, nil
}

// check finds mistakes in a fault before it runs, when the values of its expressions are unknown.
func (f *Fault) check() error {
	if strings.Contains(f.Operation, "${") {
		return nil
	}
	found, err := f.Evaluate(func(t Text) (string, error) { return t.Source(), nil }, (*Value).plain)
	if err != nil {
		return nil //nolint:nilerr // it has values that are not known yet
	}
	return found.Validate()
}

// Faults returns the faults that steps inject, with nested and included steps, by their names.
func Faults(steps []Step) map[string]*Fault {
	all := map[string]*Fault{}
	for i := range steps {
		if f := steps[i].Inject; f != nil {
			all[f.Name] = f
		}
		for _, nested := range steps[i].Within() {
			maps.Copy(all, Faults(nested))
		}
	}
	return all
}
