package kepcoverage

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// The statuses of a row.
const (
	works      = "works"
	superseded = "superseded"
	absent     = "not here"
)

func (r Row) status() string {
	switch {
	case r.Superseded != "":
		return superseded
	case r.Absent != "":
		return absent
	default:
		return works
	}
}

// checkStatus checks that a row has one status, and that only pages with statuses use its fields.
func (p Page) checkStatus(document *Document) error {
	var errs []error
	for _, row := range document.Rows() {
		switch {
		case !p.HasStatus && (row.Superseded != "" || row.Absent != "" || len(row.Same) > 0):
			errs = append(errs, fmt.Errorf("%s has a status, but all rows of this page work: remove superseded, absent and same", row.ID))
		case row.Superseded != "" && row.Absent != "":
			errs = append(errs, fmt.Errorf("%s is both superseded and absent: keep one of them", row.ID))
		case row.status() != works && (row.Decision != "" || len(row.Same) > 0):
			errs = append(errs, fmt.Errorf("%s is %s: remove decision and same, which are for rows that work", row.ID, row.status()))
		}
	}
	return errors.Join(errs...)
}

// reference matches the IDs of rows of other pages in a remark, which stand in parentheses.
var reference = regexp.MustCompile(`\(([A-Z][A-Z0-9]*-[A-Z0-9.-]+(?:, [A-Z][A-Z0-9]*-[A-Z0-9.-]+)*)\)`)

// untested returns an error if a row that does not work has a test, or if its remark names an unknown row.
func (p Page) untested(row Row, proven testsByID) error {
	var errs []error
	if names := proven.of(row.IDs()); len(names) > 0 {
		errs = append(errs, fmt.Errorf("%s: %s is %s, but has tests (%s); correct the row or the tags",
			p.Data, row.ID, row.status(), strings.Join(names, ", ")))
	}
	for _, match := range reference.FindAllStringSubmatch(row.Superseded+row.Absent, -1) {
		errs = append(errs, p.checkKnown(row, strings.Split(match[1], ", "), proven))
	}
	return errors.Join(errs...)
}

func (p Page) checkKnown(row Row, ids []string, proven testsByID) error {
	var errs []error
	for _, id := range ids {
		if len(proven[id]) == 0 {
			errs = append(errs, fmt.Errorf("%s: %s refers to %s, which is no row of another page; correct the ID", p.Data, row.ID, id))
		}
	}
	return errors.Join(errs...)
}

// testsOfSame adds the tests of rows of other pages to a row's own.
func (p Page) testsOfSame(row Row, own []string, proven testsByID) ([]string, error) {
	names := append(slices.Clone(own), proven.of(row.Same)...)
	slices.Sort(names)
	return slices.Compact(names), p.checkKnown(row, row.Same, proven)
}

// summary counts the rows of each section by their status. A part of a section counts as the section.
func summary(b *strings.Builder, document *Document) {
	b.WriteString("\n| Document | Works | Superseded | Not here |\n| --- | --- | --- | --- |\n")
	title, count := "", map[string]int{}
	flush := func() {
		if len(count) > 0 {
			fmt.Fprintf(b, "| %s | %d | %d | %d |\n", title, count[works], count[superseded], count[absent])
		}
		clear(count)
	}
	for _, section := range document.Sections {
		if !section.Sub {
			flush()
			title = section.Title
		}
		for _, row := range section.Rows {
			count[row.status()]++
		}
	}
	flush()
}
