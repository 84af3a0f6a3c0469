package postform

import (
	"slices"
	"strings"

	"github.com/cosi-emu/cosi-emu/internal/s3error"
)

// The operators of conditions.
const (
	equal       = "eq"
	startsWith  = "starts-with"
	lengthRange = "content-length-range"
)

// condition restricts the value of a field, which is named in lower case.
type condition struct{ operator, field, value string }

// conditionOf reads an operator, the name of a field after a dollar sign, and a value.
func conditionOf(list []any) (c condition, ok bool) {
	const elements = 3
	if len(list) != elements {
		return c, false
	}
	operator, isText := list[0].(string)
	name, isName := list[1].(string)
	value, isValue := list[2].(string)
	name, isField := strings.CutPrefix(name, "$")
	return condition{strings.ToLower(operator), strings.ToLower(name), value}, isText && isName && isValue && isField
}

// exact are the fields for which S3 allows no prefixes, besides its own ones that are not user
// metadata.
var exact = []string{"bucket", "success_action_status"}

func (c condition) isKnown() bool {
	switch c.operator {
	case equal:
		return true
	case startsWith:
		own := strings.HasPrefix(c.field, "x-amz-") && !strings.HasPrefix(c.field, "x-amz-meta-")
		return !own && !slices.Contains(exact, c.field)
	}
	return false
}

// holds reports whether a value meets the condition. A Content-Type can be a list, of which all
// elements must have the prefix.
func (c condition) holds(value string) bool {
	switch {
	case c.operator == equal:
		return value == c.value
	case c.field == "content-type":
		return !slices.ContainsFunc(strings.Split(value, ","), func(kind string) bool {
			return !strings.HasPrefix(strings.TrimSpace(kind), c.value)
		})
	}
	return strings.HasPrefix(value, c.value)
}

// failed returns the error of a condition that does not hold.
func (c condition) failed() *s3error.Error {
	return failed(`["` + c.operator + `", "$` + c.field + `", "` + c.value + `"]`)
}

func failed(condition string) *s3error.Error { return denied("Policy Condition failed: " + condition) }
