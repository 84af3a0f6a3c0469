package docs_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestFirstDay checks that the page has the commands that newcomers typed, as the report lists them.
func TestFirstDay(t *testing.T) {
	report, err := os.ReadFile("reports/first-day.md")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("first-day.md")
	if err != nil {
		t.Fatal(err)
	}
	commands := regexp.MustCompile("(?m)^\\| [a-z ]+ \\| `(.*)` \\| [0-9.]+ \\|$").FindAllSubmatch(report, -1)
	if len(commands) == 0 {
		t.Fatal("the report lists no command")
	}
	for _, command := range commands {
		if typed := strings.ReplaceAll(string(command[1]), `\|`, "|"); !strings.Contains(string(page), "\n"+typed+"\n") {
			t.Errorf("first-day.md does not have the command %s", typed)
		}
	}
}
