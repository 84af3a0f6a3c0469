// Package render renders the patterns of a scenario, and the objects that they are compared with,
// for people: as YAML, and without the values of Secrets.
package render

import (
	"maps"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
)

// Expected renders a pattern with the values of its expressions.
func Expected(p spec.Pattern, variables map[string]any) string {
	return YAML(wanted(p, variables))
}

func wanted(p spec.Pattern, variables map[string]any) any {
	switch {
	case p.Word != "":
		return p.Word
	case p.Condition.Expression != nil:
		return map[string]any{"cel": p.Condition.String()}
	case p.Not != nil:
		return map[string]any{"not": wanted(*p.Not, variables)}
	case p.IsMapping:
		fields := map[string]any{}
		for _, field := range p.Fields {
			name, err := field.NameWith(variables)
			if err != nil {
				name = field.Name
			}
			fields[name] = wanted(field.Pattern, variables)
		}
		return fields
	case p.IsList:
		items := make([]any, 0, len(p.Items))
		for _, item := range p.Items {
			items = append(items, wanted(item, variables))
		}
		return items
	}
	if text, ok := p.Scalar.(spec.Text); ok {
		value, err := text.Eval(variables)
		if err != nil {
			return text.Source()
		}
		return value
	}
	return p.Scalar
}

// Got renders an object without bookkeeping fields.
func Got(got any) string {
	object, ok := got.(map[string]any)
	if !ok {
		return YAML(got)
	}
	shown := maps.Clone(object)
	if shown["kind"] == kindSecret {
		for _, field := range []string{dataField, plainDataField} {
			if values, ok := shown[field].(map[string]any); ok {
				shown[field] = redactedValues(values)
			}
		}
	}
	if metadata, ok := shown["metadata"].(map[string]any); ok {
		kept := map[string]any{}
		for name, value := range metadata {
			if name != "managedFields" {
				kept[name] = value
			}
		}
		shown["metadata"] = kept
	}
	return YAML(shown)
}

// YAML renders a value, or the error that prevents it.
func YAML(value any) string {
	text, err := yaml.Marshal(value)
	if err != nil {
		return err.Error()
	}
	return strings.TrimSuffix(string(text), "\n")
}
