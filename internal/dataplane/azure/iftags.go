package azure

import (
	"regexp"
	"strings"
)

// ifTagsHeader is a condition on the tags of a blob.
const ifTagsHeader = "X-Ms-If-Tags"

type comparison struct{ tag, operator, value string }

// tagCondition is met if all comparisons of one of its alternatives are.
type tagCondition [][]comparison

var (
	oneComparison = regexp.MustCompile(`^\s*(?:"([^"]+)"|([A-Za-z_][A-Za-z0-9_]*))\s*(=|<>|<=|>=|<|>)\s*'((?:[^']|'')*)'\s*`)
	oneOperator   = regexp.MustCompile(`^(?i:(AND)|OR)\b`)
)

// parseTagCondition reads a condition such as "a" = 'b' AND "c" > 'd'. AND precedes OR.
func parseTagCondition(text string) (tagCondition, error) {
	all := tagCondition{nil}
	for {
		found := oneComparison.FindStringSubmatch(text)
		if found == nil {
			return nil, errInvalidHeader.with("The value of x-ms-if-tags must be comparisons such as \"tag\" = 'value', with AND and OR.")
		}
		last := len(all) - 1
		all[last] = append(all[last], comparison{found[1] + found[2], found[3], strings.ReplaceAll(found[4], "''", "'")})
		if text = text[len(found[0]):]; text == "" {
			return all, nil
		}
		operator := oneOperator.FindStringSubmatch(text)
		if operator == nil {
			return nil, errInvalidHeader.with("The comparisons of x-ms-if-tags must be joined by AND or OR.")
		}
		if text = text[len(operator[0]):]; operator[1] == "" {
			all = append(all, nil)
		}
	}
}

func (c tagCondition) holds(tags map[string]string) bool {
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

// checkTagCondition checks the condition on the tags of a blob, which may be nil.
func (x *exchange) checkTagCondition(b *blob) error {
	text := x.header(ifTagsHeader)
	if text == "" {
		return nil
	}
	condition, err := parseTagCondition(text)
	if err != nil {
		return err
	}
	if b == nil || !condition.holds(b.Attributes.Tags) {
		return errCondition
	}
	return nil
}
