package spec

import (
	"go.yaml.in/yaml/v3"

	"github.com/cosi-emu/cosi-emu/internal/scenario/spec/document"
)

// The words for any value, and for none. In quotes they are text.
const (
	Present = "present"
	Absent  = "absent"
)

// Pattern is the expectation for a value. A mapping matches if it has at least the fields of the
// pattern. Lists match item by item, or by the items' keys if all items of the pattern have one
// (see docs/scenarios.md).
type Pattern struct {
	Position document.Position
	// Exactly one of these is set.
	Fields    []PatternField
	IsMapping bool // with Fields, possibly empty
	Items     []Pattern
	IsList    bool // with Items, possibly empty
	Word      string
	Condition Expression // about `self`
	Not       *Pattern
	Scalar    any // string, Text, bool, int64, float64; nil is null
}

// isOpen reports whether the pattern fits values of all types.
func (p *Pattern) isOpen() bool { return p.Word != "" || p.Condition.Expression != nil }

// PatternField is a field of a mapping, with the pattern of its value.
type PatternField struct {
	Name string
	// Key is the name if it has expressions.
	Key     Text
	Pattern Pattern
	// BuiltIn means that only the emulator's own controller and sidecar promise the value, and no specification.
	BuiltIn bool
}

// NameWith returns the field's name with the values of its expressions.
func (f *PatternField) NameWith(variables map[string]any) (string, error) {
	return nameWith(f.Name, f.Key, variables)
}

func nameWith(name string, key Text, variables map[string]any) (string, error) {
	if key.IsZero() {
		return name, nil
	}
	return key.Text(variables)
}

// Specified returns the pattern without what no specification demands, for a controller or a sidecar of the user's own.
func (p *Pattern) Specified() Pattern {
	specified := *p
	specified.Fields, specified.Items = nil, nil
	for _, field := range p.Fields {
		if !field.BuiltIn {
			field.Pattern = field.Pattern.Specified()
			specified.Fields = append(specified.Fields, field)
		}
	}
	for i := range p.Items {
		specified.Items = append(specified.Items, p.Items[i].Specified())
	}
	return specified
}

// The keys of mappings that are an expression about a value, a pattern that it must not match, and one that only a value
// of the emulator's own components must match.
const (
	conditionKey = "cel"
	notKey       = "not"
	builtInKey   = "builtIn"
)

const builtInProblem = "builtIn can only be used for a field of an object in expect and always, outside of not"

func (p *Pattern) decode(d *decoder, n *yaml.Node) {
	p.Position = d.at(n)
	if !d.enter(n) {
		return
	}
	defer d.leave()
	switch n.Kind {
	case yaml.MappingNode:
		p.mapping(d, n)
	case yaml.SequenceNode:
		p.IsList, p.Items = true, make([]Pattern, len(n.Content))
		for i, item := range n.Content {
			p.Items[i].decode(d, item)
		}
	case yaml.ScalarNode:
		if n.Style == 0 && (n.Value == Present || n.Value == Absent) {
			p.Word = n.Value
		} else {
			p.Scalar = d.template(n)
		}
	default:
		d.problem(n, "anchors and aliases are not supported")
	}
}

func (p *Pattern) mapping(d *decoder, n *yaml.Node) {
	if len(n.Content) == 2 {
		switch n.Content[0].Value {
		case conditionKey:
			p.Condition.decode(d, n.Content[1])
			return
		case notKey:
			p.Not = &Pattern{}
			outside := d.expecting
			d.expecting = false
			p.Not.decode(d, n.Content[1])
			d.expecting = outside
			return
		case builtInKey: // as the pattern of a field, it is decoded with the field
			d.problem(n, builtInProblem)
			return
		}
	}
	p.IsMapping = true
	d.pairs(n, func(key, value *yaml.Node) {
		field := PatternField{Name: key.Value, Key: d.key(key)}
		if field.BuiltIn = value.Kind == yaml.MappingNode && len(value.Content) == 2 && value.Content[0].Value == builtInKey; field.BuiltIn {
			if !d.expecting {
				d.problem(value, builtInProblem)
			}
			value = value.Content[1]
		}
		field.Pattern.decode(d, value)
		p.Fields = append(p.Fields, field)
	})
}
