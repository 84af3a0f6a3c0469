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

// About describes an oracle in a sentence. A name that no oracle has gives "".
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
	// Subject names the object: KIND/NAME, "bucket ID" or "account ID".
	Subject string
	// Message names the component, its write or call, and the violation, in a sentence.
	Message string
	// Rule is the sentence of the KEP, or of v1alpha1, that demands otherwise, with its ID in docs/profiles.md. It is empty
	// where no specification has one.
	Rule string
	// Events are the events of the journal that prove it, if the journal still has them.
	Events []journal.Event
}

// String returns the finding in a line.
func (f Finding) String() string { return f.Oracle + ": " + f.Message }
