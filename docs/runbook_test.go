package docs_test

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// TestRunbook: each reason and each condition has one row in the runbook, and each row has a reason that exists.
func TestRunbook(t *testing.T) {
	page, err := os.ReadFile("runbook.md")
	if err != nil {
		t.Fatal(err)
	}
	want := slices.Concat(
		constants(t, api+"reasons.go", "^Reason"), constants(t, api+"volumes.go", "^Reason"),
		constants(t, api+"conditions.go", "^Condition"), constants(t, api+"volumes.go", "^Condition"),
	)
	rows := countRows(t, string(page))
	// ConditionProvisioned and ReasonProvisioned have the same name.
	for _, name := range want {
		count := 0
		for _, other := range want {
			if other == name {
				count++
			}
		}
		if rows[name] != count {
			t.Errorf("%d rows of runbook.md explain %s, want %d", rows[name], name, count)
		}
	}
	for name := range rows {
		if !slices.Contains(want, name) {
			t.Errorf("runbook.md explains %s, which is no reason and no condition", name)
		}
	}
}

// countRows returns how many rows begin with each name that is set as code. A row must have no empty cell.
func countRows(t *testing.T, page string) map[string]int {
	t.Helper()
	rows := map[string]int{}
	for line := range strings.Lines(page) {
		cells := cellsOf(strings.TrimSpace(line))
		if len(cells) == 0 || !strings.HasPrefix(cells[0], "`") {
			continue
		}
		rows[strings.Trim(cells[0], "`")]++
		if slices.Contains(cells, "") {
			t.Errorf("the row of %s has an empty cell", cells[0])
		}
	}
	return rows
}
