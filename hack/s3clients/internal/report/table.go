// Package report makes the table of clients and operations.
package report

import (
	"slices"
	"sync"

	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/operation"
)

// Result is what came of an operation of a client in one variant.
type Result struct {
	// Client is the column: name and version.
	Client    string
	Operation operation.ID
	// Variant is how the store was spoken to: "http path" and so on.
	Variant string
	// None is set if the client does not have the operation.
	None bool
	// Error says what was not as it should be, or is empty.
	Error string
}

// Table collects results. It may be used by several goroutines at once.
type Table struct {
	// Clients are the columns in order, and Variants what each cell stands for.
	Clients, Variants []string
	// Missing says of clients why they have not been tried, and Unavailable of
	// variants.
	Missing, Unavailable []string

	mu      sync.Mutex
	results []Result
}

// Add adds a result.
func (t *Table) Add(r Result) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.results = append(t.results, r)
}

// Failed returns the results that are not as they should be, in the order of the
// table.
func (t *Table) Failed() []Result {
	var failed []Result
	for _, op := range operation.All() {
		for _, client := range t.Clients {
			failed = append(failed, slices.DeleteFunc(t.of(client, op.ID), func(r Result) bool { return r.Error == "" })...)
		}
	}
	return failed
}

// of returns the results of a cell, in the order of the variants.
func (t *Table) of(client string, id operation.ID) []Result {
	t.mu.Lock()
	defer t.mu.Unlock()
	var cell []Result
	for _, variant := range t.Variants {
		for _, r := range t.results {
			if r.Client == client && r.Operation == id && r.Variant == variant {
				cell = append(cell, r)
			}
		}
	}
	return cell
}
