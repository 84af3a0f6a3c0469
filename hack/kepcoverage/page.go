// Package kepcoverage generates docs/kep-coverage.md, docs/v1alpha1-coverage.md, docs/pods.md,
// docs/known-failures.md and docs/specifications.md. Each page has a data file with its rows. Tests are tagged with the ID of
// a row: in a comment directly above a test function, a call of t.Run or a named row of a test
// table.
//
//	// KEP: FLOW-GRANT-4.10.1, SECRET-4
//	// Spec: A1-CREATE-2
//
// A scenario of the suite is tagged with the same line as a YAML comment.
package kepcoverage

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Page is a generated page, with its data file and the place of its tests.
type Page struct {
	// File is the generated file, relative to the repository.
	File string
	// Data is the file with the rows, relative to the repository.
	Data string
	// Tag begins the comment that tags a test.
	Tag string
	// HasStatus is for documents of which only a part holds: each row works, is superseded, or is not
	// here. Otherwise all rows work.
	HasStatus bool
}

// The generated pages.
var (
	Statements    = Page{File: "docs/kep-coverage.md", Data: "docs/kep-statements.yaml", Tag: "KEP"}
	V1alpha1      = Page{File: "docs/v1alpha1-coverage.md", Data: "docs/v1alpha1-statements.yaml", Tag: "Spec"}
	Pods          = Page{File: "docs/pods.md", Data: "docs/pods.yaml", Tag: "Pod"}
	KnownFailures = Page{File: "docs/known-failures.md", Data: "docs/known-failures.yaml", Tag: "Known failure"}
	// Specifications is the last page, because its rows refer to the rows of the others.
	Specifications = Page{File: "docs/specifications.md", Data: "docs/specifications.yaml", Tag: "Design", HasStatus: true}
)

// Document is the content of a data file.
type Document struct {
	Title string `yaml:"title"`
	Text  string `yaml:"text"`
	// Columns is the default for sections.
	Columns  []string  `yaml:"columns"`
	Sections []Section `yaml:"sections"`
}

// Section is a heading with a text, a table, and a text below the table.
type Section struct {
	// Title is empty for a table directly below the title of the page.
	Title string `yaml:"title"`
	// Sub makes the section a part of the one before.
	Sub  bool   `yaml:"sub"`
	Text string `yaml:"text"`
	// Columns are the titles between the ID and the tests; the default is the document's.
	Columns []string `yaml:"columns"`
	Rows    []Row    `yaml:"rows"`
	After   string   `yaml:"after"`
}

// Row is one statement. Several IDs are separated by commas.
type Row struct {
	ID       string `yaml:"id"`
	Says     string `yaml:"says"`
	Decision string `yaml:"decision"`

	// Same are IDs of rows of other pages, whose tests prove this row, too.
	Same []string `yaml:"same"`
	// Superseded is the later document that replaces the statement, and its replacement.
	Superseded string `yaml:"superseded"`
	// Absent is the reason for which the product does not do it.
	Absent string `yaml:"absent"`
}

// IDs returns the IDs of the row.
func (r Row) IDs() []string { return strings.Split(r.ID, ", ") }

// Load reads the data file of the page. Root is the repository.
func (p Page) Load(root string) (*Document, error) {
	content, err := os.ReadFile(filepath.Join(root, p.Data))
	if err != nil {
		return nil, err
	}
	document := &Document{}
	decoder := yaml.NewDecoder(bytes.NewReader(content))
	decoder.KnownFields(true)
	if err := decoder.Decode(document); err != nil {
		return nil, fmt.Errorf("%s: %w", p.Data, err)
	}
	for i := range document.Sections {
		if document.Sections[i].Columns == nil {
			document.Sections[i].Columns = document.Columns
		}
	}
	if err := errors.Join(document.check(), p.checkStatus(document)); err != nil {
		return nil, fmt.Errorf("%s: %w", p.Data, err)
	}
	return document, nil
}

// Rows returns the rows of all sections.
func (d *Document) Rows() []Row {
	var all []Row
	for _, section := range d.Sections {
		all = append(all, section.Rows...)
	}
	return all
}

func (d *Document) check() error {
	var errs []error
	seen := map[string]bool{}
	for _, section := range d.Sections {
		if len(section.Rows) > 0 && len(section.Columns) == 0 {
			errs = append(errs, fmt.Errorf("section %q has no columns: set columns there, or for the document", section.Title))
		}
	}
	for _, row := range d.Rows() {
		for _, id := range row.IDs() {
			if !idForm.MatchString(id) {
				errs = append(errs, fmt.Errorf("%q is not an ID: want a form such as FLOW-CREATE-2.1 or E01", id))
			}
			if seen[id] {
				errs = append(errs, fmt.Errorf("two rows have the ID %s: give each a number of its own", id))
			}
			seen[id] = true
		}
		if row.Says == "" {
			errs = append(errs, fmt.Errorf("%s has no text: set says", row.ID))
		}
	}
	return errors.Join(errs...)
}

// Files returns the generated pages by their file. Root is the repository.
func Files(root string) (map[string][]byte, error) {
	files, proven := map[string][]byte{}, testsByID{}
	for _, page := range []Page{Statements, V1alpha1, Pods, KnownFailures, Specifications} {
		document, err := page.Load(root)
		if err != nil {
			return nil, err
		}
		tests, err := page.find(root)
		if err != nil {
			return nil, err
		}
		content, err := page.render(document, tests, proven)
		if err != nil {
			return nil, err
		}
		files[page.File] = []byte(content)
	}
	return files, nil
}
