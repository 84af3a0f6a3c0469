// Package glob matches texts against patterns. Faults, events, explorations, filters and flags use
// it.
package glob

import "strings"

// Match reports whether a text matches a pattern. In the pattern, * is any number of any
// characters, including /; every other character is itself. The empty pattern matches every text.
func Match(pattern, text string) bool {
	if pattern == "" {
		return true
	}
	parts := strings.Split(pattern, "*")
	first, rest := parts[0], parts[1:]
	text, found := strings.CutPrefix(text, first)
	if !found || len(rest) == 0 {
		return found && text == ""
	}
	last := rest[len(rest)-1]
	for _, part := range rest[:len(rest)-1] {
		_, text, found = strings.Cut(text, part)
		if !found {
			return false
		}
	}
	return strings.HasSuffix(text, last)
}

// HasWildcard reports whether a pattern can match more than one text: whether it is empty or
// contains *.
func HasWildcard(pattern string) bool { return pattern == "" || strings.Contains(pattern, "*") }
