package mutants

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestTable compares the table of docs/explore.md with the mutants.
func TestTable(t *testing.T) {
	text, err := os.ReadFile("../../docs/explore.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, found := strings.Cut(string(text), "| mutant | bug | shown by | at | found by |\n| --- | --- | --- | --- | --- |\n")
	if !found {
		t.Fatal("table of mutants not found")
	}
	table, _, _ = strings.Cut(table, "\n\n")
	if diff := cmp.Diff(rows(), strings.Split(strings.TrimSpace(table), "\n")); diff != "" {
		t.Errorf("-mutants, +docs/explore.md:\n%s", diff)
	}
}

func rows() []string {
	var all []string
	for _, d := range All() {
		kinds, at := "no fault", ""
		if len(d.Kinds) > 0 {
			kinds, at = "`"+fmt.Sprint(d.Kinds[0])+"`", "`"+d.At+"`"
		}
		all = append(all, fmt.Sprintf("| %#q | %s | %s | %s | %s |", d.Name, d.Bug, kinds, at, strings.Join(d.Oracles, ", ")))
	}
	return all
}

// TestNames verifies that names are unique, and that every mutant is complete.
func TestNames(t *testing.T) {
	const least = 15
	seen := map[string]bool{}
	for _, d := range All() {
		_, ok := ByName(d.Name)
		if !ok || seen[d.Name] || d.Bug == "" || len(d.Culprits) == 0 || len(d.Oracles) == 0 || (len(d.Kinds) == 0) != (d.At == "") {
			t.Errorf("%+v: want a name of its own, a bug, a culprit, oracles, and effects with a place", d)
		}
		seen[d.Name] = true
	}
	if len(seen) < least {
		t.Errorf("%d mutants, want at least %d", len(seen), least)
	}
}
