package match

import (
	"fmt"
	"maps"
	"math"
	"strconv"

	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec/document"
)

// Difference is one place where a value differs from the pattern.
type Difference struct {
	// Path is the place, for example status.conditions[type=Provisioned].status; empty is the value
	// itself.
	Path string
	// Want is the expectation, in words or as a value.
	Want string
	// Got is the actual value; empty if there is none.
	Got string
	// Position is the pattern's position.
	Position document.Position
	// Unevaluated means that the expression of the pattern has no result for this value; Want has the reason.
	Unevaluated bool
}

// String renders the difference in a line.
func (d Difference) String() string {
	path := d.Path
	if path == "" {
		path = "it"
	}
	got := d.Got
	if got == "" {
		got = "nothing"
	}
	return fmt.Sprintf("%s: want %s, got %s", path, d.Want, got)
}

// missing is a missing value, which differs from null.
type missing struct{}

// Missing stands for a missing value in Match.
var Missing any = missing{}

// Match compares a value with a pattern whose expressions have the variables. The value is a JSON
// value: maps with string keys, lists, strings, booleans, numbers and nil; or Missing. It returns
// every difference, or an error if an expression cannot be evaluated for another reason than the
// value.
func Match(p spec.Pattern, got any, variables map[string]any) ([]Difference, error) {
	m := &matcher{variables: variables}
	_, m.gone = got.(missing)
	m.value("", p, got)
	return m.found, m.err
}

type matcher struct {
	variables map[string]any
	gone      bool // there is no value at all
	found     []Difference
	err       error
}

func (m *matcher) differ(path string, p spec.Pattern, want string, got any) {
	m.found = append(m.found, Difference{Path: path, Want: want, Got: render(got), Position: p.Position})
}

func (m *matcher) value(path string, p spec.Pattern, got any) {
	switch {
	case p.Word != "":
		m.word(path, p, got)
	case p.Condition.Expression != nil:
		m.condition(path, p, got)
	case p.Not != nil:
		m.not(path, p, got)
	case p.IsMapping:
		m.mapping(path, p, got)
	case p.IsList:
		m.list(path, p, got)
	default:
		m.scalar(path, p, got)
	}
}

// word compares with present and absent. Null and empty values are absent, because the API server
// omits them.
func (m *matcher) word(path string, p spec.Pattern, got any) {
	if isAbsent(got) != (p.Word == spec.Absent) {
		m.differ(path, p, p.Word, got)
	}
}

func isAbsent(got any) bool {
	switch v := got.(type) {
	case missing, nil:
		return true
	case string:
		return v == ""
	case []any:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	}
	return false
}

// condition evaluates the expression about self. It holds for nothing that is not there: "self != 'old'" is no
// expectation that there is no value. A failed evaluation is a difference: self may still be incomplete.
func (m *matcher) condition(path string, p spec.Pattern, got any) {
	if _, gone := got.(missing); gone || got == nil {
		m.differ(path, p, p.Condition.String(), Missing)
		return
	}
	variables := map[string]any{}
	maps.Copy(variables, m.variables)
	variables["self"] = got
	holds, err := p.Condition.Test(variables)
	switch {
	case err != nil:
		m.differ(path, p, p.Condition.String()+" ("+err.Error()+")", got)
		m.found[len(m.found)-1].Unevaluated = true
	case !holds:
		m.differ(path, p, p.Condition.String(), got)
	}
}

// not holds for a missing field only where its absence has a meaning: API conventions take it for false. "Not the old key"
// is no expectation that there is no key. It never holds for an object that does not exist.
func (m *matcher) not(path string, p spec.Pattern, got any) {
	inner := &matcher{variables: m.variables, gone: m.gone}
	inner.value(path, *p.Not, got)
	_, missed := got.(missing)
	_, isBool := p.Not.Scalar.(bool)
	mustExist := m.gone || p.Not.Word == "" && !isBool
	switch {
	case inner.err != nil:
		m.err = inner.err
	case mustExist && (missed || got == nil) || len(inner.found) == 0:
		m.differ(path, p, m.describeNot(p.Not), got)
	}
}

func (m *matcher) describeNot(p *spec.Pattern) string {
	if p.IsMapping || p.IsList || p.Not != nil || p.Word != "" || p.Condition.Expression != nil {
		return "something else"
	}
	want, err := m.wanted(p.Scalar)
	if err != nil {
		return "something else"
	}
	return "not " + render(want)
}

func (m *matcher) mapping(path string, p spec.Pattern, got any) {
	object, ok := got.(map[string]any)
	if !ok {
		if _, gone := got.(missing); !gone && got != nil {
			m.differ(path, p, "a mapping", got)
			return
		}
		object = nil // absent fields then match, and other fields report their expected value
		if len(p.Fields) == 0 {
			m.differ(path, p, spec.Present, got)
		}
	}
	for _, field := range p.Fields {
		name, err := field.NameWith(m.variables)
		if err != nil {
			m.err = fmt.Errorf("%s: %w", field.Pattern.Position, err)
			return
		}
		value, ok := object[name]
		if !ok {
			value = Missing
		}
		m.value(join(path, name), field.Pattern, value)
	}
}

func (m *matcher) scalar(path string, p spec.Pattern, got any) {
	want, err := m.wanted(p.Scalar)
	if err != nil {
		m.err = fmt.Errorf("%s: %w", p.Position, err)
		return
	}
	if equal(want, got) {
		return
	}
	m.differ(path, p, render(want), got)
	if last := &m.found[len(m.found)-1]; last.Want == last.Got {
		last.Want, last.Got = last.Want+typeOf(want), last.Got+typeOf(got)
	}
}

func typeOf(value any) string {
	switch value.(type) {
	case string:
		return " (a text)"
	case bool:
		return " (true or false)"
	case nil:
		return " (nothing)"
	}
	if _, ok := number(value); ok {
		return " (a number)"
	}
	return ""
}

func (m *matcher) wanted(scalar any) (any, error) {
	if text, ok := scalar.(spec.Text); ok {
		return text.Eval(m.variables)
	}
	return scalar, nil
}

// equal compares scalars. Numbers of different types are equal if their values are.
func equal(want, got any) bool {
	if a, ok := number(want); ok {
		b, ok := number(got)
		return ok && a == b
	}
	switch want := want.(type) {
	case []any, map[string]any:
		return render(want) == render(got)
	default:
		return want == got
	}
}

func number(value any) (float64, bool) {
	switch n := value.(type) {
	case int64:
		return float64(n), true
	case int:
		return float64(n), true
	case int32:
		return float64(n), true
	case float64:
		return n, !math.IsNaN(n)
	}
	return 0, false
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

func index(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }
