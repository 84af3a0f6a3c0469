package spec

import (
	"fmt"
	"regexp"
	"unicode/utf8"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/cosi-emu/cosi-emu/internal/counted"
)

// withinLimits checks a value that an object gets by the limits of its schema. A value that has expressions is not
// known yet.
func (v *validation) withinLimits(schema *apiextensionsv1.JSONSchemaProps, value *Value, path string) {
	if schema == nil {
		return
	}
	problem := ""
	switch is := value.Scalar.(type) {
	case string:
		problem = textProblem(schema, is)
	case int64:
		problem = numberProblem(schema, float64(is))
	case float64:
		problem = numberProblem(schema, is)
	case nil:
		problem = sizeProblem(schema, value)
	}
	if problem != "" {
		v.decoder.fail(value.Position, "%s %s", path, problem)
	}
}

func textProblem(schema *apiextensionsv1.JSONSchemaProps, text string) string {
	length := int64(utf8.RuneCountInString(text))
	if problem := outside(schema.MinLength, schema.MaxLength, length, "character"); problem != "" {
		return problem
	}
	if schema.Pattern == "" {
		return ""
	}
	if matched, err := regexp.MatchString(schema.Pattern, text); err != nil || matched {
		return "" // the API server judges a pattern of another dialect
	}
	return fmt.Sprintf("is %q, and must match %s", text, schema.Pattern)
}

func numberProblem(schema *apiextensionsv1.JSONSchemaProps, number float64) string {
	switch {
	case schema.Minimum != nil && number < *schema.Minimum:
		return fmt.Sprintf("is %v, and must be at least %v", number, *schema.Minimum)
	case schema.Maximum != nil && number > *schema.Maximum:
		return fmt.Sprintf("is %v, and must be at most %v", number, *schema.Maximum)
	}
	return ""
}

func sizeProblem(schema *apiextensionsv1.JSONSchemaProps, value *Value) string {
	if value.IsList() {
		return outside(schema.MinItems, schema.MaxItems, int64(len(value.Items)), "item")
	}
	if value.IsMapping() {
		return outside(schema.MinProperties, schema.MaxProperties, int64(len(value.Fields)), "field")
	}
	return ""
}

func outside(least, most *int64, n int64, unit string) string {
	switch {
	case least != nil && n < *least:
		return fmt.Sprintf("has %s, and must have at least %d", counted.Of(n, unit), *least)
	case most != nil && n > *most:
		return fmt.Sprintf("has %s, and must have at most %d", counted.Of(n, unit), *most)
	}
	return ""
}
