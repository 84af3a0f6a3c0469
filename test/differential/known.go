package differential

import "strings"

// difference is a difference between the control planes that stays. The list in
// docs/control-planes.md has the same reasons.
type difference struct {
	Reason string
	is     func(r request, real, embedded response) bool
}

var knownDifferences = []difference{ //nolint:gochecknoglobals // a table
	{
		"A patch that removes apiVersion or kind from an object of a built-in kind",
		func(_ request, real, _ response) bool { return strings.Contains(real.message(), "was undeterminable") },
	},
}

// message returns what a rejection says.
func (r response) message() string {
	body, _ := r.Body.(map[string]any)
	message, _ := body["message"].(string)
	return message
}
