package oracle

import (
	"slices"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
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
	Keys        = vocabulary.Keys
	Panic       = vocabulary.Panic
	Pace        = vocabulary.Pace
)

// Names returns the names of all oracles.
func Names() []string { return vocabulary.OracleNames() }

// About returns what an oracle checks, in a sentence; "" for a name that no oracle has.
func About(oracle string) string {
	all := vocabulary.Oracles()
	if i := slices.IndexFunc(all, func(o vocabulary.Oracle) bool { return o.Name == oracle }); i >= 0 {
		return all[i].About
	}
	return ""
}

// Finding is a violation of an invariant.
type Finding struct {
	// Oracle is the name of the oracle.
	Oracle string
	// Subject is what the finding is about: KIND/NAME, "bucket ID" or "account ID".
	Subject string
	// Message is a sentence that names the component, what it did, and what is wrong.
	Message string
	// Events are the events of the journal that prove it, if the journal still has them.
	Events []journal.Event
}

// String returns the finding in a line.
func (f Finding) String() string { return f.Oracle + ": " + f.Message }
