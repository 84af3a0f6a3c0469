package report

import (
	"fmt"
	"strings"

	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/operation"
)

// What a cell can say.
const (
	works = "✓"
	fails = "✗"
	none  = "–"
)

// notes are the footnotes, each text once.
type notes struct {
	texts   []string
	numbers map[string]int
}

func (n *notes) number(text string) int {
	if number, ok := n.numbers[text]; ok {
		return number
	}
	n.texts = append(n.texts, text)
	n.numbers[text] = len(n.texts)
	return len(n.texts)
}

// Markdown returns the table for the documentation.
func (t *Table) Markdown() string {
	var out strings.Builder
	footnotes := &notes{numbers: map[string]int{}}
	fmt.Fprintf(&out, "Each cell stands for: %s.\n\n", strings.Join(t.Variants, ", "))
	fmt.Fprintf(&out, "| operation | check | %s |\n", strings.Join(t.Clients, " | "))
	fmt.Fprintf(&out, "| --- | --- |%s\n", strings.Repeat(" :-: |", len(t.Clients)))
	for _, op := range operation.All() {
		fmt.Fprintf(&out, "| %s | %s |", op.Title, op.Proof)
		for _, client := range t.Clients {
			fmt.Fprintf(&out, " %s |", t.cell(client, op.ID, footnotes))
		}
		out.WriteString("\n")
	}
	fmt.Fprintf(&out, "\n%s works, %s fails, %s the client lacks it.\n", works, fails, none)
	for _, missing := range t.Missing {
		fmt.Fprintf(&out, "\nNot tried: %s.\n", missing)
	}
	for _, unavailable := range t.Unavailable {
		fmt.Fprintf(&out, "\n%s Not available: %s.\n", fails, unavailable)
	}
	for i, text := range footnotes.texts {
		fmt.Fprintf(&out, "\n%d. %s\n", i+1, text)
	}
	return out.String()
}

// cell says works only if the client has the operation in all variants, and it
// works in all of them.
func (t *Table) cell(client string, id operation.ID, footnotes *notes) string {
	results := t.of(client, id)
	failed := map[string][]string{}
	var errors []string
	absent := 0
	for _, r := range results {
		switch {
		case r.None:
			absent++
		case r.Error != "":
			if failed[r.Error] == nil {
				errors = append(errors, r.Error)
			}
			failed[r.Error] = append(failed[r.Error], r.Variant)
		}
	}
	if len(results) > 0 && absent == len(results) {
		return none
	}
	if missing := len(t.Variants) - len(results); missing > 0 {
		errors, failed["not tried"] = append(errors, "not tried"), []string{fmt.Sprintf("%d of %d", missing, len(t.Variants))}
	}
	if len(errors) == 0 {
		return works
	}
	var numbers []string
	for _, e := range errors {
		numbers = append(numbers, fmt.Sprint(footnotes.number(strings.Join(failed[e], ", ")+": "+e)))
	}
	return fails + " " + strings.Join(numbers, " ")
}
