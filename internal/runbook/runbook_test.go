package runbook_test

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/internal/runbook"
)

// TestEntries: each row of the page is an entry. A test of docs requires a row for each reason and each condition.
func TestEntries(t *testing.T) {
	var rows []string
	for line := range strings.Lines(string(readPage(t))) {
		if row, is := strings.CutPrefix(line, "| `"); is {
			name, _, _ := strings.Cut(row, "`")
			rows = append(rows, name)
		}
	}
	var names []string
	for _, e := range runbook.Entries() {
		names = append(names, e.Name)
		if found := runbook.Find(strings.ToLower(e.Name)); len(found) == 0 {
			t.Errorf("%s is not found", e.Name)
		}
		isEmpty := func(f runbook.Field) bool { return f.Title == "" || f.Text == "" }
		if len(e.Fields) < 2 || e.Section == "" || slices.ContainsFunc(e.Fields, isEmpty) {
			t.Errorf("%+v is incomplete", e)
		}
	}
	if diff := cmp.Diff(rows, names); diff != "" {
		t.Errorf("entries: -rows, +got:\n%s", diff)
	}
}

// TestCopy: the program has the page as it is.
func TestCopy(t *testing.T) {
	copied, err := os.ReadFile("zz_generated_runbook.txt")
	if err != nil || !bytes.Equal(copied, readPage(t)) {
		t.Errorf("zz_generated_runbook.txt is no copy of docs/runbook.md: run make generate: %v", err)
	}
}

func readPage(t *testing.T) []byte {
	t.Helper()
	page, err := os.ReadFile("../../docs/runbook.md")
	if err != nil {
		t.Fatal(err)
	}
	return page
}

func TestString(t *testing.T) {
	found := runbook.Find("Validated")
	if len(found) != 1 {
		t.Fatalf("found %v", found)
	}
	want := "Validated (other events)\n" +
		"  meaning: reason of `ResourcesValidated`: all objects exist and are valid\n" +
		"  look at: –\n" +
		"  do:      nothing\n"
	if diff := cmp.Diff(want, found[0].String()); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

// TestLinks: no entry shows the address of a link.
func TestLinks(t *testing.T) {
	linked := 0
	for _, e := range runbook.Entries() {
		for _, f := range e.Fields {
			linked += strings.Count(f.Text, "](")
		}
		if text := e.String(); strings.Contains(text, "](") {
			t.Errorf("the entry has the address of a link:\n%s", text)
		}
	}
	if linked == 0 {
		t.Error("the page has no link, so nothing was tested")
	}
}
