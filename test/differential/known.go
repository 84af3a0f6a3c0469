package differential

import (
	"net/http"
	"slices"
	"strings"
)

// difference is a difference between the control planes that stays. The list in
// docs/control-planes.md has the same reasons.
type difference struct {
	Reason string
	is     func(r request, programs, embedded response) bool
}

var knownDifferences = []difference{
	{
		"A patch that removes or empties apiVersion or kind of an object of a built-in kind",
		func(r request, _, _ response) bool {
			return r.Method == http.MethodPatch && slices.ContainsFunc(
				[]string{`"/apiVersion"`, `"/kind"`, `"apiVersion":null`, `"kind":null`, `"apiVersion":""`, `"kind":""`},
				func(field string) bool { return strings.Contains(r.Body, field) })
		},
	},
}

// isKnown returns whether a list has the reason why answers differ.
func isKnown(r request, answers [2]response) bool {
	return slices.ContainsFunc(knownDifferences, func(k difference) bool { return k.is(r, answers[0], answers[1]) })
}
