package cel

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
)

// Expression is a CEL expression that has been parsed.
type Expression struct {
	source string
	parsed *cel.Ast
	names  []string

	condition bool // whether it can be true or false
}

// Parse reads an expression.
func Parse(source string) (_ *Expression, err error) {
	if strings.TrimSpace(source) == "" {
		return nil, errors.New("the expression is empty")
	}
	parsed, issues := environment().Parse(source)
	if issues.Err() != nil {
		return nil, fmt.Errorf("the expression %q is not valid CEL: %s", source, firstLine(issues))
	}
	e := &Expression{source: source, parsed: parsed, names: names(parsed.NativeRep().Expr())}
	e.condition, err = check(source, parsed, e.names)
	return e, err
}

func firstLine(issues *cel.Issues) string {
	for _, e := range issues.Errors() {
		return fmt.Sprintf("%s (at character %d)", e.Message, e.Location.Column()+1)
	}
	return issues.String()
}

func (e *Expression) String() string { return e.source }

// Names returns the variables that the expression uses, sorted.
func (e *Expression) Names() []string { return e.names }

// Selects returns the names that the expression selects from a variable, sorted: b of a.b. It omits
// names that are only tested for existence, as in has(a.b).
func (e *Expression) Selects(variable string) []string {
	var selected []string
	ast.PreOrderVisit(e.parsed.NativeRep().Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		if e.Kind() != ast.SelectKind || e.AsSelect().IsTestOnly() {
			return
		}
		if operand := e.AsSelect().Operand(); operand.Kind() == ast.IdentKind && operand.AsIdent() == variable {
			selected = append(selected, e.AsSelect().FieldName())
		}
	}))
	slices.Sort(selected)
	return slices.Compact(selected)
}

// names collects the free identifiers, without the variables of macros.
func names(root ast.Expr) []string {
	var used, own []string
	ast.PreOrderVisit(root, ast.NewExprVisitor(func(e ast.Expr) {
		switch e.Kind() { //nolint:exhaustive // the others name nothing
		case ast.IdentKind:
			used = append(used, e.AsIdent())
		case ast.ComprehensionKind:
			c := e.AsComprehension()
			own = append(own, c.IterVar(), c.IterVar2(), c.AccuVar())
		}
	}))
	used = slices.DeleteFunc(used, func(name string) bool { return slices.Contains(own, name) || slices.Contains(typeNames, name) })
	slices.Sort(used)
	return slices.Compact(used)
}

// typeNames are the identifiers that CEL defines.
var typeNames = []string{
	"bool", "bytes", "double", "duration", "dyn", "int", "list", "map", "null_type", "optional_type",
	"string", "timestamp", "type", "uint",
}

// Eval evaluates the expression. Values are as in JSON: maps, lists, strings,
// numbers, booleans and nil.
func (e *Expression) Eval(variables map[string]any) (any, error) {
	program, err := environment().Program(e.parsed, cel.CostLimit(costLimit))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", e.source, err)
	}
	result, _, err := program.Eval(variables)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", e.source, err)
	}
	value, err := native(result)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", e.source, err)
	}
	return value, nil
}

// Test evaluates a condition.
func (e *Expression) Test(variables map[string]any) (bool, error) {
	value, err := e.Eval(variables)
	if err != nil {
		return false, err
	}
	holds, ok := value.(bool)
	if !ok {
		return false, fmt.Errorf("%s: returned %v, must return true or false", e.source, value)
	}
	return holds, nil
}
