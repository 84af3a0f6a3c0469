package mutants

import (
	_ "embed"
	"fmt"
	"strings"
)

//go:embed page.txt
var page string

// Files returns the page about the mutants and the patches, by its path below the root of the
// repository.
func Files(string) (map[string][]byte, error) {
	mutants := []string{"| mutant | bug | shown by | at | found by |", "| --- | --- | --- | --- | --- |"}
	for _, d := range All() {
		mutants = append(mutants, d.row())
	}
	patches := []string{"| patch | bug | net | found by | took | lines |", "| --- | --- | --- | --- | --- | --- |"}
	for _, p := range Patches() {
		patches = append(patches, p.row())
	}
	text := strings.NewReplacer("MUTANTS\n", lines(mutants), "PATCHES\n", lines(patches)).Replace(page)
	return map[string][]byte{"docs/reports/mutants.md": []byte(text)}, nil
}

func lines(all []string) string { return strings.Join(all, "\n") + "\n" }

// row renders the mutant for the table.
func (m Mutant) row() string {
	kinds, at := "no fault", ""
	if len(m.Kinds) > 0 {
		kinds, at = "`"+fmt.Sprint(m.Kinds[0])+"`", "`"+m.At+"`"
	}
	return fmt.Sprintf("| %#q | %s | %s | %s | %s |", m.Name, m.Bug, kinds, at, strings.Join(m.Oracles, ", "))
}
