package eventscope

import (
	"fmt"
	"regexp"
	"strings"
)

// UID matches the UID of an object, anywhere in a text.
var UID = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)

// maxPrefix leaves room for suffixes of the names that contain a scope.
const maxPrefix = 30

// Prefix returns the prefix of a scenario's scope names. A hyphen and a number follow.
func Prefix(scenario string) string {
	return strings.TrimRight(scenario[:min(len(scenario), maxPrefix)], "-")
}

// Name returns the scope name of a run of a scenario, by the run's number. The names of the run's
// objects contain it.
func Name(scenario string, number int64) string {
	return fmt.Sprintf("%s-%d", Prefix(scenario), number)
}

// Mentions reports whether a text contains a word as a whole: story-1 is not in story-10.
func Mentions(text, word string) bool {
	before, _ := cut(text, word)
	return before >= 0
}

// Replace replaces every mention of a word in a text.
func Replace(text, word, with string) string {
	var out strings.Builder
	for {
		begin, end := cut(text, word)
		if begin < 0 {
			out.WriteString(text)
			return out.String()
		}
		out.WriteString(text[:begin] + with)
		text = text[end:]
	}
}

func cut(text, word string) (begin, end int) {
	if word == "" {
		return -1, -1
	}
	for from := 0; ; {
		at := strings.Index(text[from:], word)
		if at < 0 {
			return -1, -1
		}
		begin, end = from+at, from+at+len(word)
		if (begin == 0 || !isAlphanumeric(text[begin-1])) && (end == len(text) || !isAlphanumeric(text[end])) {
			return begin, end
		}
		from = begin + 1
	}
}

func isAlphanumeric(c byte) bool {
	return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || 'A' <= c && c <= 'Z'
}
