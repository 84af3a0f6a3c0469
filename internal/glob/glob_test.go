package glob_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/cosi-emu/cosi-emu/internal/glob"
)

func TestMatch(t *testing.T) {
	tests := map[string]struct {
		reason        string
		pattern, text string
		want          bool
	}{
		"Empty":        {"The empty pattern matches every text.", "", "patch buckets", true},
		"EmptyText":    {"A text that is not empty is asked for.", "a", "", false},
		"AllEmpty":     {"Any number includes none.", "*", "", true},
		"Same":         {"A pattern without * is the text itself.", "patch buckets", "patch buckets", true},
		"Longer":       {"The text goes on.", "patch buckets", "patch buckets/status", false},
		"Slash":        {"The * crosses a slash.", "patch *", "patch buckets/status", true},
		"SlashMiddle":  {"The * crosses a slash in the middle, too.", "*bucketaccesses*", "patch bucketaccesses/status", true},
		"Namespace":    {"The * is a namespace.", "*/app", "photos/app", true},
		"Begin":        {"The end is open.", "Driver*", "DriverGetInfo", true},
		"End":          {"The beginning is open.", "*/status", "update buckets/status", true},
		"Other":        {"The beginning differs.", "a*", "ba", false},
		"OtherEnd":     {"The end differs.", "* secrets", "get secrets/status", false},
		"Order":        {"The parts must come in their order.", "*b*a*", "ab", false},
		"Twice":        {"One letter cannot be two parts.", "a*a", "a", false},
		"Overlap":      {"Parts must not overlap.", "ab*bc", "abc", false},
		"Greedy":       {"The last part is the end of the text, not its first occurrence.", "*a", "aba", true},
		"Stars":        {"Two of them are as one.", "a**b", "acb", true},
		"Dot":          {"A dot is a dot.", "a.b", "axb", false},
		"Question":     {"A question mark is a question mark.", "a?b", "axb", false},
		"Brackets":     {"Brackets are brackets.", "a[bc]", "ab", false},
		"BracketsSame": {"Brackets are brackets.", "a[bc]", "a[bc]", true},
		"Newline":      {"A line feed is a character.", "a*b", "a\nb", true},
		"Star":         {"A text may have a * in it.", "a*b", "a*b", true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := glob.Match(tc.pattern, tc.text); got != tc.want {
				t.Errorf("%s\nMatch(%q, %q) = %v, want %v", tc.reason, tc.pattern, tc.text, got, tc.want)
			}
		})
	}
}

// FuzzMatch compares Match with a regular expression.
func FuzzMatch(f *testing.F) {
	f.Add("patch *", "patch buckets/status")
	f.Add("*a*b", "ab\nb")
	f.Add("a*a", "a")
	f.Fuzz(func(t *testing.T, pattern, text string) {
		parts := strings.Split(pattern, "*")
		for i, part := range parts {
			parts[i] = regexp.QuoteMeta(part)
		}
		same, err := regexp.Compile(`(?s)^` + strings.Join(parts, ".*") + `$`)
		if err != nil {
			t.Skip("no regular expression has these letters")
		}
		want := pattern == "" || same.MatchString(text)
		if got := glob.Match(pattern, text); got != want {
			t.Errorf("Match(%q, %q) = %v, want %v", pattern, text, got, want)
		}
	})
}

func TestHasWildcard(t *testing.T) {
	for pattern, want := range map[string]bool{"": true, "*": true, "patch *": true, "patch buckets": false} {
		if got := glob.HasWildcard(pattern); got != want {
			t.Errorf("HasWildcard(%q) = %v, want %v", pattern, got, want)
		}
	}
}
