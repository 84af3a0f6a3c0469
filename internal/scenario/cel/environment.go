package cel

import (
	"sync"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/ext"
)

// costLimit bounds an evaluation, so that none hangs.
const costLimit = 1_000_000

// environment returns an environment that declares the functions, and no variables: the place of an expression decides which
// variables exist, and Names returns those that it needs.
var environment = sync.OnceValue(func() *cel.Env {
	env, err := cel.NewEnv(ext.Strings(), ext.Lists(), ext.Sets(), ext.Math(), cel.OptionalTypes())
	if err != nil {
		panic(err)
	}
	return env
})
