package spec

import (
	"errors"
	"strconv"

	"go.yaml.in/yaml/v3"

	"github.com/cosi-emu/cosi-emu/internal/scenario/spec/document"
)

// Value is any YAML, with its positions. Strings in it may be templates.
type Value struct {
	Position document.Position
	// Exactly one of these is set; none is null.
	Fields []Field
	Items  []Value
	Scalar any // string, Text, bool, int64, float64

	kind yaml.Kind
}

// Field is a key and a value of a mapping.
type Field struct {
	Name string
	// Key is the name if it has expressions.
	Key      Text
	Position document.Position
	Value    Value
}

// NameWith returns the field's name with the values of its expressions.
func (f *Field) NameWith(variables map[string]any) (string, error) {
	return nameWith(f.Name, f.Key, variables)
}

// IsMapping reports whether the value is a mapping.
func (v *Value) IsMapping() bool { return v.kind == yaml.MappingNode }

// IsList reports whether the value is a list.
func (v *Value) IsList() bool { return v.kind == yaml.SequenceNode }

// Field returns the value of a key; nil if there is none.
func (v *Value) Field(name string) *Value {
	for i := range v.Fields {
		if v.Fields[i].Name == name {
			return &v.Fields[i].Value
		}
	}
	return nil
}

func (v *Value) text(name string) string {
	field := v.Field(name)
	if field == nil {
		return ""
	}
	switch scalar := field.Scalar.(type) {
	case string:
		return scalar
	case Text:
		return scalar.Source()
	}
	return ""
}

var errUnknown = errors.New("its expressions have no values yet")

// plain returns the value as JSON, if it has no expressions.
func (v *Value) plain() (any, error) {
	switch {
	case v.IsMapping():
		object := make(map[string]any, len(v.Fields))
		for i := range v.Fields {
			inner, err := v.Fields[i].Value.plain()
			if err == nil && !v.Fields[i].Key.IsZero() {
				err = errUnknown
			}
			if err != nil {
				return nil, err
			}
			object[v.Fields[i].Name] = inner
		}
		return object, nil
	case v.IsList():
		items := make([]any, len(v.Items))
		for i := range v.Items {
			inner, err := v.Items[i].plain()
			if err != nil {
				return nil, err
			}
			items[i] = inner
		}
		return items, nil
	}
	if _, ok := v.Scalar.(Text); ok {
		return nil, errUnknown
	}
	return v.Scalar, nil
}

func (v *Value) decode(d *decoder, n *yaml.Node) {
	v.Position, v.kind = d.at(n), n.Kind
	if !d.enter(n) {
		return
	}
	defer d.leave()
	switch n.Kind {
	case yaml.MappingNode:
		d.pairs(n, func(key, value *yaml.Node) {
			field := Field{Name: key.Value, Key: d.key(key), Position: d.at(key)}
			field.Value.decode(d, value)
			v.Fields = append(v.Fields, field)
		})
	case yaml.SequenceNode:
		v.Items = make([]Value, len(n.Content))
		for i, item := range n.Content {
			v.Items[i].decode(d, item)
		}
	case yaml.ScalarNode:
		v.Scalar = d.template(n)
	default:
		d.problem(n, "anchors and aliases are not supported")
	}
}

// scalarOf reads a scalar by the rules of YAML 1.2; null is nil.
func (d *decoder) scalarOf(n *yaml.Node) any {
	var err error
	switch n.ShortTag() {
	case "!!null":
		return nil
	case "!!bool":
		var b bool
		if b, err = strconv.ParseBool(n.Value); err == nil {
			return b
		}
	case "!!int":
		var i int64
		if i, err = strconv.ParseInt(n.Value, 0, 64); err == nil {
			return i
		}
	case "!!float":
		var f float64
		if f, err = strconv.ParseFloat(n.Value, 64); err == nil {
			return f
		}
	case "!!str", "!!timestamp":
		return n.Value
	default:
		d.problem(n, "the tag %s is not supported", n.Tag)
		return nil
	}
	d.problem(n, "%q is not a valid value; quote it if it is a string", n.Value)
	return nil
}
