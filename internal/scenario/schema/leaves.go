package schema

import (
	"reflect"
	"slices"
	"time"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
)

const (
	referencePattern = `^[A-Z][A-Za-z0-9]+/\S+$`
	durationPattern  = `^\+?([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h)`
	bytesPattern     = `^\+?([0-9]+(\.[0-9]*)?|\.[0-9]+)([kMGTPE]i?|Ki|[eE]\+?[0-9]+)?$`
	jumpPattern      = `^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h)`
	countPattern     = `^([0-9]+(\.\.[0-9]*)?|\.\.[0-9]+)$`
)

// text is a text. In a file, it may look like a number without quotes.
func text() object { return object{"type": []string{"string", "number", "boolean"}} }

// oneOrMany is something, or a list of such.
func oneOrMany(one object) object {
	return object{"anyOf": []object{one, {"type": "array", "items": one}}}
}

// leaves are the types that decode themselves.
var leaves = map[reflect.Type]object{
	reflect.TypeFor[spec.Text]():         text(),
	reflect.TypeFor[spec.Expression]():   text(),
	reflect.TypeFor[spec.Duration]():     {"type": "string", "pattern": durationPattern},
	reflect.TypeFor[time.Duration]():     {"type": "string", "pattern": durationPattern},
	reflect.TypeFor[any]():               {},
	reflect.TypeFor[spec.ClockOffset]():  {"type": "string", "pattern": jumpPattern},
	reflect.TypeFor[spec.Count]():        {"type": []string{"integer", "string"}, "pattern": countPattern, "minimum": 0},
	reflect.TypeFor[spec.Limit]():        {"type": "integer", "minimum": 1},
	reflect.TypeFor[spec.Bytes]():        {"type": []string{"integer", "string"}, "minimum": 1, "pattern": bytesPattern},
	reflect.TypeFor[spec.Parameters]():   parameters(),
	reflect.TypeFor[spec.Pattern]():      {},
	reflect.TypeFor[spec.Value]():        {},
	reflect.TypeFor[spec.Named]():        {"type": "object"},
	reflect.TypeFor[spec.Names]():        {"anyOf": []object{{"type": "null"}, text(), {"type": "array", "items": text()}}},
	reflect.TypeFor[spec.References]():   oneOrMany(object{"type": "string", "pattern": referencePattern}),
	reflect.TypeFor[spec.Expectations](): byReference(),
	reflect.TypeFor[spec.Patch]():        byReference(),
	reflect.TypeFor[spec.Objects](): oneOrMany(object{
		"type": "object", "required": []string{"kind", "metadata"},
		"properties": object{
			"kind":     object{"type": "string", "minLength": 1},
			"metadata": object{"type": "object", "required": []string{"name"}},
		},
	}),
}

func byReference() object {
	return object{"type": "object", "propertyNames": object{"pattern": referencePattern}}
}

// parameters are the parameters of the fake driver.
func parameters() object {
	properties := object{}
	for _, known := range slices.Concat(fakedriver.BucketParameters(), fakedriver.AccessParameters()) {
		properties[known.Name] = object{"type": text()["type"], "description": known.Effect}
	}
	return object{"type": "object", "additionalProperties": false, "properties": properties}
}
