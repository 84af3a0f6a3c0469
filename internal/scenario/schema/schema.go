package schema

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"strings"

	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
)

// dialect is the best supported by editors.
const dialect = "http://json-schema.org/draft-07/schema#"

// object is a piece of a schema.
type object map[string]any

// Generate returns the schema as indented JSON that ends with a newline. The output is
// deterministic.
func Generate() ([]byte, error) {
	w := &writer{definitions: object{}}
	scenario := w.of(reflect.TypeFor[spec.Scenario]())
	w.definitions["StepsFile"] = stepsFile(w)
	root := object{
		"$schema": dialect,
		"title":   "Scenario of cosi-emu",
		"if":      object{"properties": object{"kind": object{"const": spec.KindSteps}}, "required": []string{"kind"}},
		"then":    reference("StepsFile"),
		"else":    scenario,
	}
	root["definitions"] = w.definitions
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err := encoder.Encode(root)
	return out.Bytes(), err
}

func stepsFile(w *writer) object {
	return object{
		"type": "object", "additionalProperties": false, "required": []string{"apiVersion", "kind", "steps"},
		"properties": object{
			"apiVersion": object{"const": spec.APIVersion},
			"kind":       object{"const": spec.KindSteps},
			"steps":      w.of(reflect.TypeFor[[]spec.Step]()),
		},
	}
}

func reference(name string) object { return object{"$ref": "#/definitions/" + name} }

type writer struct{ definitions object }

// of returns the schema of a type. Named types are defined once.
func (w *writer) of(t reflect.Type) object {
	if t.Kind() == reflect.Pointer {
		return w.of(t.Elem())
	}
	if own, ok := leaves[t]; ok {
		return own
	}
	switch t.Kind() {
	case reflect.Slice:
		return object{"type": "array", "items": w.of(t.Elem())}
	case reflect.Map:
		return object{"type": "object", "additionalProperties": w.of(t.Elem())}
	case reflect.Struct:
		return w.structure(t)
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.Int, reflect.Int64:
		return object{"type": "integer"}
	default: // a string: no type has other kinds
		return text()
	}
}

func (w *writer) structure(t reflect.Type) object {
	if _, ok := w.definitions[t.Name()]; ok {
		return reference(t.Name())
	}
	definition := object{"additionalProperties": false, "type": "object"}
	w.definitions[t.Name()] = definition // before its fields, which may refer to it
	properties, required, verbs := object{}, []string{}, []object{}
	for _, f := range reflect.VisibleFields(t) {
		name := f.Tag.Get("yaml")
		if name == "" {
			continue
		}
		properties[name] = w.field(f)
		if f.Tag.Get("required") != "" {
			required = append(required, name)
		}
		if f.Tag.Get("verb") != "" {
			verbs = append(verbs, object{"required": []string{name}})
		}
	}
	definition["properties"] = properties
	if len(required) > 0 {
		definition["required"] = required
	}
	if len(verbs) > 0 {
		definition["oneOf"] = verbs
	}
	if t == reflect.TypeFor[spec.Settle]() {
		definition["type"] = []string{"object", "null"}
	}
	return reference(t.Name())
}

// field adds the tags of a field to the schema of its type.
func (w *writer) field(f reflect.StructField) object {
	described := object{}
	maps.Copy(described, w.of(f.Type))
	described = restricted(f, described)
	if _, refers := described["$ref"]; refers {
		// Readers ignore everything else beside a $ref.
		return object{"allOf": []object{described}, "description": f.Tag.Get("doc")}
	}
	described["description"] = f.Tag.Get("doc")
	return described
}

func restricted(f reflect.StructField, schema object) object {
	isList := f.Type.Kind() == reflect.Slice && schema["items"] != nil
	if f.Tag.Get("pattern") == "dnsLabel" {
		schema["pattern"] = spec.DNSLabel
	}
	if isList && f.Tag.Get("required") != "" {
		schema["minItems"] = 1
	}
	values := f.Tag.Get("enum")
	_, negative := f.Tag.Lookup("negative")
	switch {
	case negative:
		schema["pattern"] = jumpPattern
	case values == "":
	case isList:
		schema["items"] = object{"enum": strings.Split(values, ",")}
	default:
		return object{"enum": strings.Split(values, ",")}
	}
	return schema
}
