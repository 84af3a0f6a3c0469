package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

// table has the results.
type table struct {
	clients  []*client
	missing  []string
	failures int

	mu      sync.Mutex
	results map[cell][]result
	// functional summarizes the results of minio-go's tests.
	functional string
}

// cell is an operation of a client.
type cell struct {
	client *client
	title  string
}

// result is the result of an operation.
type result struct {
	scheme string
	err    error
}

// The marks of results.
const (
	works       = "✓"
	fails       = "✗"
	unsupported = "–"
)

func (r result) mark() string {
	if _, ok := errors.AsType[unsupportedError](r.err); ok {
		return unsupported
	}
	if r.err != nil {
		return fails
	}
	return works
}

// add adds a result, and returns its mark.
func (t *table) add(c cell, r result) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.results[c] = append(t.results[c], r)
	if r.mark() == fails {
		t.failures++
	}
	return r.mark()
}

// markdown returns the tables of all protocols.
func (t *table) markdown() string {
	var out strings.Builder
	for _, p := range everywhere {
		clients := slices.DeleteFunc(slices.Clone(t.clients), func(c *client) bool { return c.protocol != p })
		if len(clients) > 0 {
			t.protocol(&out, p, clients)
		}
	}
	if t.functional != "" {
		out.WriteString("### minio-go's functional tests\n\n| scheme | a test | tests |\n| --- | --- | --: |\n" + t.functional + "\n")
	}
	if len(t.missing) > 0 {
		fmt.Fprintf(&out, "Not tested, because they are not installed: %s.\n\n", strings.Join(t.missing, ", "))
	}
	return out.String()
}

func (t *table) protocol(out *strings.Builder, p protocol, clients []*client) {
	fmt.Fprintf(out, "### %s\n\n| operation | check |", p)
	for _, c := range clients {
		fmt.Fprintf(out, " %s %s |", c.name, c.version)
	}
	fmt.Fprintf(out, "\n| --- | --- |%s\n", strings.Repeat(" :-: |", len(clients)))
	var notes []string
	for _, o := range operations {
		if !slices.Contains(o.in, p) {
			continue
		}
		fmt.Fprintf(out, "| %s | %s |", o.title, o.proof)
		for _, c := range clients {
			fmt.Fprintf(out, " %s |", t.cell(cell{c, o.title}, &notes))
		}
		out.WriteString("\n")
	}
	out.WriteString("\n")
	for i, note := range notes {
		fmt.Fprintf(out, "%d. %s\n", i+1, note)
	}
	if notes != nil {
		out.WriteString("\n")
	}
}

// cell returns a table's cell for an operation of a client: the mark, and the numbers of notes.
func (t *table) cell(c cell, notes *[]string) string {
	results, mark, reasons := t.results[c], works, map[string][]string{}
	if len(results) == 0 {
		return ""
	}
	for _, r := range results {
		if r.err != nil && mark != fails {
			mark = r.mark()
		}
		if r.err != nil && r.err.Error() != "" { // otherwise the error has no text
			text := strings.Join(strings.Fields(r.err.Error()), " ")
			text = text[:min(len(text), maxOutput)]
			reasons[text] = append(reasons[text], r.scheme)
		}
	}
	for _, reason := range slices.Sorted(maps.Keys(reasons)) {
		if mark == fails && len(reasons[reason]) < len(results) {
			reason = strings.Join(reasons[reason], ", ") + ": " + reason
		}
		n := slices.Index(*notes, reason)
		if n < 0 {
			n = len(*notes)
			*notes = append(*notes, reason)
		}
		mark += fmt.Sprintf(" %d", n+1)
	}
	return mark
}
