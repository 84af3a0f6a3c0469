package spec

import (
	"encoding/json"
	"fmt"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/cosi-emu/cosi-emu/internal/drafts"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec/document"
	"github.com/cosi-emu/cosi-emu/internal/suggest"
)

// shape is what a value or a pattern is.
type shape struct {
	position        document.Position
	mapping, isList bool
	scalar          any // nil of neither, or null
}

func propertyOf(schema *apiextensionsv1.JSONSchemaProps, name string) *apiextensionsv1.JSONSchemaProps {
	if schema == nil {
		return nil
	}
	property, found := schema.Properties[name]
	if !found {
		return nil
	}
	return &property
}

func itemsOf(schema *apiextensionsv1.JSONSchemaProps) *apiextensionsv1.JSONSchemaProps {
	if schema == nil || schema.Items == nil {
		return nil
	}
	return schema.Items.Schema
}

// shape checks that a field can have a value, by the schema in the definition of its kind: the API server rejects
// another one, and no object ever has it. A value that has expressions is not known yet.
func (v *validation) shape(schema *apiextensionsv1.JSONSchemaProps, is shape, path string) bool {
	if schema == nil || schema.XIntOrString {
		return true
	}
	if _, isText := is.scalar.(Text); isText || is.scalar == nil && !is.mapping && !is.isList {
		return true
	}
	if want := mismatch(schema.Type, is); want != "" {
		v.decoder.fail(is.position, "%s is %s, and must be %s%s", path, describe(is), want, advice(path))
		return false
	}
	return v.allowed(schema, is, path)
}

// mismatch returns what a value must be, if it is something else.
func mismatch(kind string, is shape) string {
	var fits bool
	switch kind {
	case "object":
		return unless(is.mapping, "an object")
	case "array":
		return unless(is.isList, "a list")
	case "string":
		_, fits = is.scalar.(string)
		return unless(fits, "a text")
	case "boolean":
		_, fits = is.scalar.(bool)
		return unless(fits, "true or false")
	case "integer", "number":
		_, isInt := is.scalar.(int64)
		_, isFloat := is.scalar.(float64)
		return unless(isInt || isFloat && kind == "number", "a number")
	default:
		return ""
	}
}

func unless(fits bool, want string) string {
	if fits {
		return ""
	}
	return want
}

func describe(is shape) string {
	switch {
	case is.mapping:
		return "an object"
	case is.isList:
		return "a list"
	}
	if text, ok := is.scalar.(string); ok {
		return fmt.Sprintf("the text %q", text)
	}
	return fmt.Sprint(is.scalar)
}

// allowed checks the values that a schema lists.
func (v *validation) allowed(schema *apiextensionsv1.JSONSchemaProps, is shape, path string) bool {
	text, ok := is.scalar.(string)
	if !ok || len(schema.Enum) == 0 {
		return true
	}
	var known []string
	for _, value := range schema.Enum {
		var name string
		if json.Unmarshal(value.Raw, &name) == nil {
			known = append(known, name)
		}
	}
	if slices.Contains(known, text) {
		return true
	}
	v.decoder.fail(is.position, "%s cannot be %q: %s", path, text, suggest.From(text, known))
	return false
}

// advice returns the field of today's draft of v1alpha2 for a field of an earlier one, or "".
func advice(path string) string {
	if text := drafts.Field(path); text != "" {
		return ": " + text
	}
	return ""
}
