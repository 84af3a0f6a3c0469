// Package tagcondition has the conditions on the tags of a blob: a request has them in the header
// x-ms-if-tags, and a search as a filter.
package tagcondition

import (
	"regexp"
	"strings"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/azure/failure"
)

// comparison is one of a tag with a value.
type comparison struct{ tag, operator, value string }

// Condition is met if all comparisons of one of its alternatives are.
type Condition [][]comparison

var (
	oneComparison = regexp.MustCompile(`^\s*(?:"([^"]+)"|([A-Za-z_][A-Za-z0-9_]*))\s*(=|<>|<=|>=|<|>)\s*'((?:[^']|'')*)'\s*`)
	oneOperator   = regexp.MustCompile(`^(?i:(AND)|OR)\b`)
)

// Parse reads a condition such as "a" = 'b' AND "c" > 'd'. AND precedes OR.
func Parse(text string) (Condition, error) {
	all := Condition{nil}
	for {
		found := oneComparison.FindStringSubmatch(text)
		if found == nil {
			return nil, failure.ErrInvalidHeader.Because("The value of x-ms-if-tags must be comparisons such as \"tag\" = 'value', with AND and OR.")
		}
		one := comparison{found[1] + found[2], found[3], strings.ReplaceAll(found[4], "''", "'")}
		if !IsText(one.tag) || !IsText(one.value) {
			return nil, failure.ErrInvalidHeader.Because("A tag or value of x-ms-if-tags has a character that is not permitted.")
		}
		last := len(all) - 1
		all[last] = append(all[last], one)
		if text = text[len(found[0]):]; text == "" {
			return all, nil
		}
		operator := oneOperator.FindStringSubmatch(text)
		if operator == nil {
			return nil, failure.ErrInvalidHeader.Because("The comparisons of x-ms-if-tags must be joined by AND or OR.")
		}
		if text = text[len(operator[0]):]; operator[1] == "" {
			all = append(all, nil)
		}
	}
}

// Holds reports whether tags meet the condition.
func (c Condition) Holds(tags map[string]string) bool {
	for _, alternative := range c {
		met := true
		for _, one := range alternative {
			met = met && one.holds(tags)
		}
		if met {
			return true
		}
	}
	return false
}

// holds compares in sort order. A missing tag meets no comparison.
func (c comparison) holds(tags map[string]string) bool {
	value, ok := tags[c.tag]
	order := strings.Compare(value, c.value)
	switch c.operator {
	case "=":
		return ok && order == 0
	case "<>":
		return ok && order != 0
	case "<":
		return ok && order < 0
	case "<=":
		return ok && order <= 0
	case ">":
		return ok && order > 0
	default:
		return ok && order >= 0
	}
}
