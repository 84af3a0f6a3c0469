package spec

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/cosi-emu/cosi-emu/internal/scenario/spec/document"
	"github.com/cosi-emu/cosi-emu/internal/suggest"
)

// maxDepth limits the nesting of a document.
const maxDepth = 100

// decoder decodes nodes into Go values, strictly. The tags of struct fields name them:
// `yaml:"name"`.
type decoder struct {
	file string
	// place, if set, returns the positions of nodes that are not from a file.
	place  func(*yaml.Node) document.Position
	depth  int
	failed []error
	// expecting is set within the patterns of objects.
	expecting bool
	// used are the variables of the expressions read so far.
	used []use
}

// use is a place where variables are used.
type use struct {
	position document.Position
	names    []string
	selects  func(variable string) []string
}

// expressions are a text or a condition with variables.
type expression interface {
	Names() []string
	Selects(variable string) []string
}

func (d *decoder) uses(n *yaml.Node, e expression) {
	if names := e.Names(); len(names) > 0 {
		d.used = append(d.used, use{d.at(n), names, e.Selects})
	}
}

// custom is a type that decodes itself.
type custom interface {
	decode(d *decoder, n *yaml.Node)
}

func (d *decoder) at(n *yaml.Node) document.Position {
	if d.place != nil {
		return d.place(n)
	}
	return document.Position{File: d.file, Line: n.Line, Column: n.Column}
}

func (d *decoder) problem(n *yaml.Node, format string, arguments ...any) {
	d.failed = append(d.failed, &document.Problem{Position: d.at(n), Message: fmt.Sprintf(format, arguments...)})
}

func (d *decoder) err() error { return errors.Join(d.failed...) }

// enter goes one level deeper, unless this exceeds the limit.
func (d *decoder) enter(n *yaml.Node) bool {
	if d.depth >= maxDepth {
		d.problem(n, "nested more than %d levels deep", maxDepth)
		return false
	}
	d.depth++
	return true
}

func (d *decoder) leave() { d.depth-- }

func (d *decoder) value(n *yaml.Node, v reflect.Value) {
	if !d.enter(n) {
		return
	}
	defer d.leave()
	if n.Kind == yaml.AliasNode || n.Anchor != "" {
		d.problem(n, "anchors and aliases are not supported; move repeated steps into a step list, and `use` it")
		return
	}
	if reader, ok := reflect.TypeAssert[custom](v.Addr()); ok {
		reader.decode(d, n)
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		d.value(n, v.Elem())
	case reflect.Struct:
		d.object(n, v)
	case reflect.Slice:
		d.list(n, v)
	case reflect.Map:
		d.dictionary(n, v)
	default:
		d.scalar(n, v)
	}
}

// pairs passes on the keys and values of a mapping; keys must be strings, each once.
func (d *decoder) pairs(n *yaml.Node, take func(key, value *yaml.Node)) {
	if n.Kind != yaml.MappingNode {
		d.problem(n, "must be a mapping, with a key and a value on each line, not %s", kindOf(n))
		return
	}
	var seen []string
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		switch {
		case key.Kind != yaml.ScalarNode || key.Tag == "!!merge":
			d.problem(key, "a key must be a plain word")
		case slices.Contains(seen, key.Value):
			d.problem(key, "duplicate key %q", key.Value)
		default:
			seen = append(seen, key.Value)
			take(key, value)
		}
	}
}

func (d *decoder) object(n *yaml.Node, v reflect.Value) {
	if position := v.FieldByName("Position"); position.IsValid() {
		position.Set(reflect.ValueOf(d.at(n)))
	}
	if document.IsNull(n) && v.Type() == reflect.TypeFor[Settle]() {
		return // `settle:` alone is complete
	}
	before := len(d.failed)
	if broken := v.FieldByName("Broken"); broken.IsValid() {
		defer func() { broken.SetBool(len(d.failed) > before) }()
	}
	fields := fieldsOf(v)
	d.pairs(n, func(key, value *yaml.Node) {
		field, ok := fields[key.Value]
		if !ok {
			d.problem(key, "unknown field %q: %s", key.Value, suggest.From(key.Value, namesOf(v.Type())))
			return
		}
		d.value(value, field)
	})
}

// fieldsOf returns the fields by their names, including embedded structs.
func fieldsOf(v reflect.Value) map[string]reflect.Value {
	fields := map[string]reflect.Value{}
	for _, f := range reflect.VisibleFields(v.Type()) {
		if name := f.Tag.Get("yaml"); name != "" {
			fields[name] = v.FieldByIndex(f.Index)
		}
	}
	return fields
}

// namesOf returns the names of the fields, in their order.
func namesOf(t reflect.Type) []string {
	var names []string
	for _, f := range reflect.VisibleFields(t) {
		if name := f.Tag.Get("yaml"); name != "" {
			names = append(names, name)
		}
	}
	return names
}

func (d *decoder) list(n *yaml.Node, v reflect.Value) {
	if n.Kind != yaml.SequenceNode {
		d.problem(n, "must be a list, with a dash before each item, not %s", kindOf(n))
		return
	}
	for _, item := range n.Content {
		element := reflect.New(v.Type().Elem()).Elem()
		d.value(item, element)
		v.Set(reflect.Append(v, element))
	}
}

func (d *decoder) dictionary(n *yaml.Node, v reflect.Value) {
	v.Set(reflect.MakeMap(v.Type()))
	d.pairs(n, func(key, value *yaml.Node) {
		element := reflect.New(v.Type().Elem()).Elem()
		d.value(value, element)
		v.SetMapIndex(reflect.ValueOf(key.Value).Convert(v.Type().Key()), element)
	})
}

func (d *decoder) scalar(n *yaml.Node, v reflect.Value) {
	if n.Kind != yaml.ScalarNode {
		d.problem(n, "must be a single value, not %s", kindOf(n))
		return
	}
	var err error
	switch v.Kind() {
	case reflect.String:
		v.SetString(n.Value)
	case reflect.Bool:
		var b bool
		b, err = strconv.ParseBool(n.Value)
		v.SetBool(b)
	case reflect.Int, reflect.Int64:
		var i int64
		i, err = strconv.ParseInt(strings.ReplaceAll(n.Value, "_", ""), 10, v.Type().Bits())
		v.SetInt(i)
	default:
		panic("document: no way to read a " + v.Type().String()) // a mistake in the types of this package
	}
	switch {
	case err != nil && v.Kind() == reflect.Bool:
		d.problem(n, "%q must be true or false", n.Value)
	case err != nil:
		d.problem(n, "%q must be a whole number", n.Value)
	}
}

func kindOf(n *yaml.Node) string {
	switch {
	case document.IsNull(n):
		return "nothing"
	case n.Kind == yaml.MappingNode:
		return "a mapping"
	case n.Kind == yaml.SequenceNode:
		return "a list"
	default:
		return "a single value"
	}
}
