package gcs

import (
	"regexp"
	"strings"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/gcs/failure"
)

// parseGlob returns the names that a pattern of the parameter matchGlob matches; see "List objects
// and prefixes using glob" in Google's documentation.
func parseGlob(glob string) (func(name string) bool, error) {
	var expression strings.Builder
	expression.WriteString(`(?s)\A(?:`)
	depth := 0 // of braces
	for rest := glob; rest != ""; {
		var piece string
		piece, rest = nextGlob(rest, &depth)
		expression.WriteString(piece)
	}
	expression.WriteString(`)\z`)
	compiled, err := regexp.Compile(expression.String())
	if err != nil || depth != 0 {
		return nil, failure.ErrInvalid.With("Invalid value for matchGlob: " + strings.ToValidUTF8(glob, "?"))
	}
	return compiled.MatchString, nil
}

// nextGlob translates the first element of a pattern into a regular expression, and returns the
// remaining pattern.
func nextGlob(glob string, depth *int) (expression, rest string) {
	switch {
	case strings.HasPrefix(glob, "**"):
		return `.*`, glob[2:]
	case glob[0] == '*':
		return `[^/]*`, glob[1:]
	case glob[0] == '?':
		return `[^/]`, glob[1:]
	case glob[0] == '{':
		*depth++
		return `(?:`, glob[1:]
	case glob[0] == '}' && *depth > 0:
		*depth--
		return `)`, glob[1:]
	case glob[0] == ',' && *depth > 0:
		return `|`, glob[1:]
	case glob[0] == '[':
		return classOf(glob)
	case glob[0] == '\\' && len(glob) > 1:
		return firstRune(glob[1:])
	default:
		return firstRune(glob)
	}
}

// firstRune returns the first character as a regular expression.
func firstRune(text string) (expression, rest string) {
	for at := range text[1:] {
		return regexp.QuoteMeta(text[:at+1]), text[at+1:]
	}
	return regexp.QuoteMeta(text), ""
}

// classOf translates a set of characters such as [a-z] or [!a-z].
func classOf(glob string) (expression, rest string) {
	set, rest, ok := strings.Cut(glob[1:], "]")
	if !ok || set == "" || set == "!" || set == "^" {
		return "[", "" // not valid
	}
	negation := ""
	if set[0] == '!' || set[0] == '^' {
		negation, set = "^", set[1:]
	}
	return "[" + negation + strings.NewReplacer(`\`, `\\`, `[`, `\[`, `^`, `\^`, `&`, `\&`).Replace(set) + "]", rest
}
