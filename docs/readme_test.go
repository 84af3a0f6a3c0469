package docs_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestFirstScreen checks that the first screen of the README answers a newcomer: the project in a paragraph, the commands
// that run it and its tests, with their times, and a whole session.
func TestFirstScreen(t *testing.T) {
	const height, width = 60, 120
	page, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	screen, lines := "", 0
	for line := range strings.Lines(string(page)) {
		lines += 1 + max(0, utf8.RuneCountInString(line)-2)/width // a long line takes several
		if lines > height {
			break
		}
		screen += line
	}
	rest := screen
	for _, part := range []struct{ what, pattern string }{
		{"title", `\A# cosi-emu\n`},
		{"project in a paragraph", `\n[^#\n].*\n.*COSI.*Kubernetes`},
		{"command that builds and runs it, with its time", `\ngo run \./cmd/cosi-emu up +#.*[0-9]+ minutes`},
		{"command that runs the tests, with its time", `\nmake test +#.*[0-9]+ minutes`},
		{"beginning of a session", `\n\$ cosi-emu up -d\n`},
		{"session's bucket", `\n\$ cosi-emu example \| kubectl apply`},
		{"end of the session", `\n\$ cosi-emu down\n`},
	} {
		found := regexp.MustCompile(part.pattern).FindStringIndex(rest)
		if found == nil {
			t.Fatalf("the first %d lines of README.md, %d columns wide, lack the %s, or it is out of order", height, width, part.what)
		}
		rest = rest[found[1]-1:]
	}
}
