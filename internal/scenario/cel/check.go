package cel

import (
	"fmt"

	"github.com/google/cel-go/cel"
)

// check finds errors of an expression that do not depend on its variables: unknown functions, and
// operators with operands of a wrong type. It returns whether the result can be true or false.
func check(source string, parsed *cel.Ast, names []string) (condition bool, err error) {
	variables := make([]cel.EnvOption, 0, len(names))
	for _, name := range names {
		variables = append(variables, cel.Variable(name, cel.DynType))
	}
	env, err := environment().Extend(variables...)
	if err != nil {
		return false, fmt.Errorf("the expression %q: %w", source, err)
	}
	checked, issues := env.Check(parsed)
	if issues.Err() != nil {
		return false, fmt.Errorf("the expression %q cannot be evaluated: %s", source, firstLine(issues))
	}
	result := checked.OutputType()
	return result.IsExactType(cel.BoolType) || result.IsExactType(cel.DynType), nil
}

// IsCondition reports whether the expression can be true or false, as far as that is known without
// the values of its variables.
func (e *Expression) IsCondition() bool { return e.condition }
