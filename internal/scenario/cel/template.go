package cel

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Template is a text with expressions in it: "claim-${index}". "$${" stands for
// "${".
type Template struct {
	source string
	parts  []part
}

type part struct {
	text       string
	expression *Expression
}

// ParseTemplate reads a text.
func ParseTemplate(source string) (*Template, error) {
	t := &Template{source: source}
	for rest := source; rest != ""; {
		start := strings.Index(rest, "${")
		switch {
		case start < 0:
			t.text(rest)
			return t, nil
		case start > 0 && rest[start-1] == '$':
			t.text(rest[:start-1] + "${")
			rest = rest[start+2:]
			continue
		}
		t.text(rest[:start])
		end := closing(rest[start+2:])
		if end < 0 {
			return nil, fmt.Errorf("%q has a ${ without a closing }", source)
		}
		e, err := Parse(rest[start+2 : start+2+end])
		if err != nil {
			return nil, err
		}
		t.parts = append(t.parts, part{expression: e})
		rest = rest[start+2+end+1:]
	}
	return t, nil
}

func (t *Template) text(text string) {
	if text != "" {
		t.parts = append(t.parts, part{text: text})
	}
}

// closing finds the brace that ends an expression. It skips braces of maps and strings.
func closing(source string) int {
	depth := 0
	for i := 0; i < len(source); i++ {
		switch source[i] {
		case '\'', '"':
			i += stringLength(source[i:]) - 1
		case '{':
			depth++
		case '}':
			if depth == 0 {
				return i
			}
			depth--
		}
	}
	return -1
}

// stringLength returns the length of the string at the start of a text, with its quotes, or of the
// whole text if the string does not end.
func stringLength(text string) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case text[0]:
			return i + 1
		}
	}
	return len(text)
}

// String returns the source.
func (t *Template) String() string { return t.source }

// Names returns the variables that the template uses, sorted.
func (t *Template) Names() []string {
	var all []string
	for _, p := range t.parts {
		if p.expression != nil {
			all = append(all, p.expression.Names()...)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Selects returns the names that the template selects from a variable, sorted: b of a.b.
func (t *Template) Selects(variable string) []string {
	var all []string
	for _, p := range t.parts {
		if p.expression != nil {
			all = append(all, p.expression.Selects(variable)...)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Eval returns the text with the values of its expressions. A template that is one
// expression and nothing else keeps the type of its value.
func (t *Template) Eval(variables map[string]any) (any, error) {
	if len(t.parts) == 1 && t.parts[0].expression != nil {
		return t.parts[0].expression.Eval(variables)
	}
	return t.Text(variables)
}

// Text is Eval for places that need a text.
func (t *Template) Text(variables map[string]any) (string, error) {
	var text strings.Builder
	for _, p := range t.parts {
		if p.expression == nil {
			text.WriteString(p.text)
			continue
		}
		value, err := p.expression.Eval(variables)
		if err != nil {
			return "", err
		}
		text.WriteString(render(value))
	}
	return text.String(), nil
}

func render(value any) string {
	if text, ok := value.(string); ok {
		return text
	}
	encoded, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(encoded)
}
