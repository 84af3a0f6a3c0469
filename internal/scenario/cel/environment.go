package cel

import (
	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/ext"
)

// costLimit bounds an evaluation, so that none hangs.
const costLimit = 1_000_000

// environment declares the functions, and no variables: the place of an expression decides which
// variables exist, and Names returns those that it needs.
var environment = newEnvironment()

func newEnvironment() *cel.Env {
	env, err := cel.NewEnv(ext.Strings(), ext.Lists(), ext.Sets(), ext.Math(), cel.OptionalTypes())
	if err != nil {
		panic(err)
	}
	return env
}
