package oracle

import (
	"cmp"
	"slices"

	"github.com/cosi-emu/cosi-emu/internal/emulator/vocabulary"
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

// checks are the checks of the oracles, by name.
var checks = map[string]func(*evidence) []Finding{
	Leak: leaks, Loss: losses, Order: orderViolations, Foreign: foreignWrites,
	Secret: secretLeaks, Convergence: unconverged, Silence: activity,
	Request: wrongRequests, Status: untrueStatus, Pace: fastRetries, Keys: openKeys,
}

// Finding is something that must not be.
type Finding struct {
	// Oracle is the name of the one that has found it.
	Oracle string `json:"oracle"`
	// Message says what is wrong, with which object, in a line.
	Message string `json:"message"`
	// Subject is what it is about: KIND/NAME of an object, or "bucket ID" and
	// "account ID" in the backend.
	Subject string `json:"subject,omitempty"`
	// Events are the sequence numbers of the events that show it.
	Events []uint64 `json:"events,omitempty"`
}

// String renders the finding in a line.
func (f Finding) String() string { return f.Oracle + ": " + f.Message }

// Judge returns what the oracles find, in their order and each thing once. It
// depends on nothing but the input, which it does not change.
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

// deduplicate leaves out what has been said already.
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
