package scenarios

import "time"

// Fields are the fields of an object, of a pattern, or of a message, as they would
// be written in YAML. Texts may have expressions in them: "${class}".
type Fields map[string]any

// List is a list in Fields.
type List []any

// word is a word that is no text.
type word string

// In patterns, Present is any value that there is, and Absent is none.
const (
	Present word = "present"
	Absent  word = "absent"
)

// condition is a CEL expression in a pattern.
type condition string

// CEL is a condition about self, the value: CEL("self > 3").
func CEL(expression string) any { return condition(expression) }

// duration is how a document has it.
func duration(d time.Duration) string { return d.String() }
