package spec

import (
	"strings"

	"go.yaml.in/yaml/v3"

	cosicel "github.com/cosi-emu/cosi-emu/internal/scenario/cel"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec/document"
)

// Expression is a condition in CEL in a document. It is nil inside if not given.
type Expression struct {
	*cosicel.Expression

	Position document.Position
}

func (e *Expression) decode(d *decoder, n *yaml.Node) {
	e.Position = d.at(n)
	if n.Kind != yaml.ScalarNode {
		d.problem(n, "must be a CEL expression, not %s", kindOf(n))
		return
	}
	parsed, err := cosicel.Parse(n.Value)
	if err != nil {
		d.problem(n, "%s", err)
		return
	}
	if !parsed.IsCondition() {
		d.problem(n, "the expression %q must return true or false", n.Value)
	}
	e.Expression = parsed
	d.uses(n, parsed)
}

// Text is a text in a document that may have expressions in it.
type Text struct { //nolint:recvcheck // only reading changes it
	*cosicel.Template

	Position document.Position
}

// IsZero reports whether no text is given.
func (t Text) IsZero() bool { return t.Template == nil }

// Source returns the text with its expressions; empty if not given.
func (t Text) Source() string {
	if t.Template == nil {
		return ""
	}
	return t.String()
}

// Text returns the text with the values of its expressions.
func (t Text) Text(variables map[string]any) (string, error) {
	if t.Template == nil {
		return "", nil
	}
	return t.Template.Text(variables)
}

func (t *Text) decode(d *decoder, n *yaml.Node) {
	if n.Kind != yaml.ScalarNode {
		d.problem(n, "must be a string, not %s", kindOf(n))
		return
	}
	*t = d.text(n, n.Value)
}

func (d *decoder) text(n *yaml.Node, source string) Text {
	text := Text{Position: d.at(n)}
	parsed, err := cosicel.ParseTemplate(source)
	if err != nil {
		d.problem(n, "%s", err)
		return text
	}
	text.Template = parsed
	d.uses(n, parsed)
	return text
}

// key returns the text of a key with expressions, or an empty Text.
func (d *decoder) key(n *yaml.Node) Text {
	if !strings.Contains(n.Value, "${") {
		return Text{}
	}
	return d.text(n, n.Value)
}

// template returns a text with expressions as a Text, and other values unchanged.
func (d *decoder) template(n *yaml.Node) any {
	value := d.scalarOf(n)
	if source, ok := value.(string); ok && strings.Contains(source, "${") {
		return d.text(n, source)
	}
	return value
}
