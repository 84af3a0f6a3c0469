// Package runbook has the entries of docs/runbook.md: what each reason and each condition means, and what to do.
package runbook

import (
	_ "embed" // the page
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// page is a copy of docs/runbook.md, because a program has no docs directory.
//
//go:generate cp ../../docs/runbook.md zz_generated_runbook.txt
//go:embed zz_generated_runbook.txt
var page string

// Entry is a row of the page.
type Entry struct {
	// Section is the heading above, such as Driver.
	Section string
	Name    string
	Fields  []Field
}

// Field is a cell of a row, with the title of its column.
type Field struct{ Title, Text string }

// Entries returns all entries.
func Entries() []Entry {
	var all []Entry
	var section string
	var titles []string
	for line := range strings.Lines(page) {
		line = strings.TrimSpace(line)
		if heading, is := strings.CutPrefix(line, "## "); is {
			section, titles = heading, nil
		}
		cells := cells(line)
		switch {
		case len(cells) < 2 || strings.HasPrefix(cells[0], "---"):
		case titles == nil:
			titles = cells
		default:
			e := Entry{Section: section, Name: strings.Trim(cells[0], "`")}
			for i, cell := range cells[1:] {
				e.Fields = append(e.Fields, Field{titles[i+1], cell})
			}
			all = append(all, e)
		}
	}
	return all
}

func cells(line string) []string {
	row, is := strings.CutPrefix(line, "| ")
	if !is {
		return nil
	}
	return strings.Split(strings.TrimSuffix(row, " |"), " | ")
}

// Names returns the names of all entries, each once.
func Names() []string {
	var names []string
	for _, e := range Entries() {
		if !slices.Contains(names, e.Name) {
			names = append(names, e.Name)
		}
	}
	return names
}

// Reasons returns the reasons of conditions and Events, sorted.
func Reasons() []string {
	var reasons []string
	for _, e := range Entries() {
		if e.Section != "Conditions" {
			reasons = append(reasons, e.Name)
		}
	}
	slices.Sort(reasons)
	return slices.Compact(reasons)
}

// Find returns the entries with a name, in any case.
func Find(name string) []Entry {
	return slices.DeleteFunc(Entries(), func(e Entry) bool { return !strings.EqualFold(e.Name, name) })
}

// conditionSection has the rows of condition types, which each object has.
const conditionSection = "Conditions"

// pending is the reason of a condition of which nothing is known yet.
const pending = "Pending"

// noAction has the texts of rows that lead nowhere.
var noAction = []string{"nothing", "as there"}

var word = regexp.MustCompile(`\w+`)

// In returns the entries of the reasons in a text, such as the output of kubectl describe, in the order in which
// the text has them, and each once: without the types of conditions, and reasons whose row has nothing to do.
func In(text string) []Entry {
	var found []Entry
	seen := map[string]bool{}
	for _, name := range word.FindAllString(text, -1) {
		if seen[name] {
			continue
		}
		seen[name] = true
		for _, e := range Entries() {
			if e.Name == name && e.Section != conditionSection && !slices.Contains(noAction, e.Fields[len(e.Fields)-1].Text) {
				found = append(found, e)
			}
		}
	}
	if len(found) > 1 { // ProvisionFailed is, too, until the driver is called
		found = slices.DeleteFunc(found, func(e Entry) bool { return e.Name == pending })
	}
	return found
}

// links of Markdown lead nowhere in a terminal.
var links = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)

// String renders an entry for people, with the text of its links.
func (e Entry) String() string {
	var text strings.Builder
	fmt.Fprintf(&text, "%s (%s)\n", e.Name, strings.ToLower(e.Section))
	for _, f := range e.Fields {
		fmt.Fprintf(&text, "  %-8s %s\n", f.Title+":", links.ReplaceAllString(f.Text, "$1"))
	}
	return text.String()
}
