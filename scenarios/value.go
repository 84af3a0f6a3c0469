package scenarios

import "time"

// Fields are the fields of an object, of a pattern, or of a message, as in YAML. Texts may contain
// expressions: "${class}".
type Fields map[string]any

// List is a list in Fields.
type List []any

// word is a keyword of the format.
type word string

// In patterns, Present matches any existing value, and Absent a missing one.
const (
	Present word = "present"
	Absent  word = "absent"
)

// condition is a CEL expression in a pattern.
type condition string

// CEL is a condition on self, the value: CEL("self > 3").
func CEL(expression string) any { return condition(expression) }

// duration is how a document has it.
func duration(d time.Duration) string { return d.String() }
