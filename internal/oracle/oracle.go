package oracle

import (
	"cmp"
	"slices"

	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
)

// The names of the oracles.
const (
	Leak        = vocabulary.Leak
	Loss        = vocabulary.Loss
	Order       = vocabulary.Order
	Foreign     = vocabulary.Foreign
	Secret      = vocabulary.Secret
	Convergence = vocabulary.Convergence
	Silence     = vocabulary.Silence
	Request     = vocabulary.Request
	Status      = vocabulary.Status
	Pace        = vocabulary.Pace
	Keys        = vocabulary.Keys
)

var checks = map[string]func(*evidence) []Finding{
	Leak: leaks, Loss: losses, Order: orderViolations, Foreign: foreignWrites,
	Secret: secretLeaks, Convergence: unconverged, Silence: activity,
	Request: wrongRequests, Status: untrueStatus, Pace: tooFast, Keys: openKeys,
}

// Finding is a violation of an invariant.
type Finding struct {
	// Oracle is the name of the oracle that reports it.
	Oracle string `json:"oracle"`
	// Message describes the problem and its object, in one line.
	Message string `json:"message"`
	// Subject is the object concerned: KIND/NAME, or "bucket ID" and "account ID" in the backend.
	Subject string `json:"subject,omitempty"`
	// Events are the sequence numbers of the events that prove it.
	Events []uint64 `json:"events,omitempty"`
}

// String renders the finding in a line.
func (f Finding) String() string { return f.Oracle + ": " + f.Message }

// Judge returns the findings of all oracles, in order and without duplicates. The result depends
// only on the input, which Judge does not change.
func Judge(in Input) []Finding {
	e := gather(&in)
	var found []Finding
	for _, name := range vocabulary.OracleNames() {
		for _, f := range checks[name](e) {
			f.Oracle = name
			found = append(found, f)
		}
	}
	return deduplicate(found)
}

func deduplicate(found []Finding) []Finding {
	var kept []Finding
	for _, f := range found {
		same := func(other Finding) bool { return other.Oracle == f.Oracle && other.Message == f.Message }
		if !slices.ContainsFunc(kept, same) {
			kept = append(kept, f)
		}
	}
	order := vocabulary.OracleNames()
	slices.SortStableFunc(kept, func(a, b Finding) int {
		return cmp.Compare(slices.Index(order, a.Oracle), slices.Index(order, b.Oracle))
	})
	return kept
}
