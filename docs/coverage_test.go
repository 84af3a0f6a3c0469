// Package docs_test keeps docs/kep-coverage.md true: every row of it names tests
// that exist, and everything on a closed list has a row.
package docs_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

const tablePath = "kep-coverage.md"

// row is a statement of the KEP with the tests that prove it.
type row struct {
	line      int
	id        string
	statement string
	decision  string
	tests     []string
}

// readTable returns the text of the document and the rows of its tables of
// statements. Tables with other columns are not for this.
func readTable(t *testing.T) (text string, rows []row) {
	t.Helper()
	content, err := os.ReadFile(tablePath)
	if err != nil {
		t.Fatal(err)
	}
	isTable := false
	for i, line := range strings.Split(string(content), "\n") {
		cells := cellsOf(line)
		switch {
		case len(cells) == 0:
			isTable = false
		case cells[0] == "ID":
			isTable = true
		case isTable && !strings.HasPrefix(cells[0], "---"):
			if len(cells) != 4 {
				t.Fatalf("line %d has %d cells, want ID, statement, decision and tests", i+1, len(cells))
			}
			rows = append(rows, row{i + 1, cells[0], cells[1], cells[2], quoted(cells[3])})
		}
	}
	return string(content), rows
}

func cellsOf(line string) []string {
	if !strings.HasPrefix(line, "|") {
		return nil
	}
	cells := strings.Split(strings.Trim(line, "|"), "|")
	for i := range cells {
		cells[i] = strings.TrimSpace(cells[i])
	}
	return cells
}

var code = regexp.MustCompile("`([^`]+)`")

// quoted are the parts of a text that are set as code.
func quoted(text string) []string {
	var found []string
	for _, match := range code.FindAllStringSubmatch(text, -1) {
		found = append(found, match[1])
	}
	return found
}

// TestRows: each row has an ID of its own, a statement, and tests that exist.
func TestRows(t *testing.T) {
	_, rows := readTable(t)
	form := regexp.MustCompile(`^[A-Z]+(-[A-Za-z0-9.]+)+$`)
	lines := map[string]int{}
	for _, r := range rows {
		if !form.MatchString(r.id) {
			t.Errorf("line %d: %q is no ID", r.line, r.id)
		}
		if first, taken := lines[r.id]; taken {
			t.Errorf("line %d: %s is in line %d as well", r.line, r.id, first)
		}
		lines[r.id] = r.line
		if r.statement == "" || r.decision == "" {
			t.Errorf("line %d: %s has an empty cell; a decision that there is none is a dash", r.line, r.id)
		}
		if len(r.tests) == 0 {
			t.Errorf("line %d: %s has no test", r.line, r.id)
		}
		for _, test := range r.tests {
			if err := exists(test); err != nil {
				t.Errorf("line %d: %s: %v", r.line, r.id, err)
			}
		}
	}
	if len(rows) < 400 {
		t.Errorf("%d rows: the tables are not found any more", len(rows))
	}
}

// TestNothingIsPutOff: the document promises nothing.
func TestNothingIsPutOff(t *testing.T) {
	text, _ := readTable(t)
	for _, word := range []string{"later", "todo", "fixme", "tbd", "not implemented", "unimplemented yet", "future work", "to be done"} {
		at := regexp.MustCompile(`(?i)\b` + word + `\b`).FindStringIndex(text)
		if at != nil {
			t.Errorf("line %d says %q", 1+strings.Count(text[:at[0]], "\n"), word)
		}
	}
}
