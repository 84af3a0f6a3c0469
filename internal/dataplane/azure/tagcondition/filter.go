package tagcondition

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/azure/failure"
)

// Filter selects blobs by all of its comparisons.
type Filter struct {
	tags       []comparison
	containers []comparison
}

// The limits of the tags of a blob, and of a filter.
const (
	MaxTags  = 10
	MaxKey   = 128
	MaxValue = 256
)

const container = "@container"

var (
	filtered = regexp.MustCompile(`^\s*(?:"([^"]*)"|(@container|[A-Za-z_][A-Za-z0-9_]*))\s*(=|<=|>=|<|>)\s*'((?:[^']|'')*)'\s*`)
	and      = regexp.MustCompile(`^(?i:AND)\b`)
)

// ParseFilter reads a filter such as "a" = 'b' AND @container = 'c' AND "d" > 'e'.
func ParseFilter(text string) (f Filter, err error) {
	unique := map[string]bool{}
	for rest := text; ; {
		position := len(text) - len(rest) + 1
		found := filtered.FindStringSubmatch(rest)
		if found == nil {
			return f, rejected(position, "a comparison such as \"tag\" = 'value' is expected")
		}
		one := comparison{found[1] + found[2], found[3], strings.ReplaceAll(found[4], "''", "'")}
		if found[2] == container {
			f.containers = append(f.containers, one)
		} else {
			if err := one.check(position); err != nil {
				return f, err
			}
			unique[one.tag] = true
			f.tags = append(f.tags, one)
		}
		if len(unique) > MaxTags {
			return f, failure.ErrInvalidQuery.With(fmt.Sprintf("Error parsing query: there can be at most %d unique tags in a query", MaxTags))
		}
		if rest = rest[len(found[0]):]; rest == "" {
			return f, nil
		}
		joined := and.FindString(rest)
		if joined == "" {
			return f, rejected(len(text)-len(rest)+1, "AND is expected")
		}
		rest = rest[len(joined):]
	}
}

func (c comparison) check(position int) error {
	key, value := utf8.RuneCountInString(c.tag), utf8.RuneCountInString(c.value)
	switch {
	case key == 0 || key > MaxKey:
		return rejected(position, "tag must be between 1 and 128 characters in length")
	case value > MaxValue:
		return rejected(position, "tag value must be between 0 and 256 characters in length")
	case !IsText(c.tag) || !IsText(c.value):
		return rejected(position, "a character is not permitted in tag name or value")
	}
	return nil
}

func rejected(position int, cause string) error {
	return failure.ErrInvalidQuery.With(fmt.Sprintf("Error parsing query at or near character position %d: %s", position, cause))
}

// Select returns the tags that the filter names, if they and the name of the container meet it.
func (f Filter) Select(name string, tags map[string]string) (named map[string]string, ok bool) {
	for _, one := range f.containers {
		if !one.holds(map[string]string{container: name}) {
			return nil, false
		}
	}
	named = map[string]string{}
	for _, one := range f.tags {
		if !one.holds(tags) {
			return nil, false
		}
		named[one.tag] = tags[one.tag]
	}
	return named, true
}

// IsText reports whether a key or value of a tag has only permitted characters.
func IsText(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune(" +-./:=_", r)
	})
}
