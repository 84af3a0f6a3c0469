package naming

import (
	"fmt"
	"strings"
)

// maxPrefix leaves room for what is put behind a scope in names.
const maxPrefix = 30

// ScopePrefix returns what the scopes of a scenario begin with, by the scenario's name.
// A hyphen and a number follow.
func ScopePrefix(scenario string) string {
	return strings.TrimRight(scenario[:min(len(scenario), maxPrefix)], "-")
}

// Scope returns the scope of a run of a scenario, which is a part of the names of its
// objects; the number is that of the run.
func Scope(scenario string, number int64) string {
	return fmt.Sprintf("%s-%d", ScopePrefix(scenario), number)
}

// Mentions reports whether a text has a scope or a UID in it. Scopes end with a number,
// so one that a digit follows is another: a-1 is not meant by a-12.
func Mentions(text, word string) bool {
	for {
		_, rest, found := strings.Cut(text, word)
		if !found {
			return false
		}
		if !goesOn(rest) {
			return true
		}
		text = rest
	}
}

// Replace replaces a scope in a text, wherever it is mentioned.
func Replace(text, word, with string) string {
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(text, word)
		out.WriteString(before)
		switch {
		case !found:
			return out.String()
		case goesOn(rest):
			out.WriteString(word)
		default:
			out.WriteString(with)
		}
		text = rest
	}
}

// goesOn reports whether a number goes on in what comes behind a word.
func goesOn(rest string) bool { return rest != "" && rest[0] >= '0' && rest[0] <= '9' }
