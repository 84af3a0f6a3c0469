package checks

import (
	"slices"

	"github.com/cosi-emu/cosi-emu/internal/oracle/evidence"
	"github.com/cosi-emu/cosi-emu/internal/oracle/rule"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
)

// Finding is a violation of an invariant.
type Finding struct {
	// Oracle is the name of the oracle that reports it.
	Oracle string `json:"oracle"`
	// Message describes the problem and its object, in one line.
	Message string `json:"message"`
	// Subject is the object concerned: KIND/NAME, or "bucket ID" and "account ID" in the backend.
	Subject string `json:"subject,omitempty"`
	// Rule is the ID of the statement that demands otherwise, as in docs/profiles.md. It is empty if there is none.
	Rule string `json:"rule,omitempty"`
	// Events are the sequence numbers of the events that prove it.
	Events []uint64 `json:"events,omitempty"`
}

// String renders the finding in a line.
func (f Finding) String() string { return f.Oracle + ": " + f.Message }

// Sentence returns the sentence of the specification that demands otherwise, or "".
func (f Finding) Sentence() string { return rule.Sentence(f.Rule) }

// IsTransient reports whether the finding may be due to an observation that was too early.
func (f Finding) IsTransient() bool {
	return !slices.Contains([]string{vocabulary.Order, vocabulary.Foreign, vocabulary.Secret, vocabulary.Request, vocabulary.Pace}, f.Oracle)
}

var checks = map[string]func(*evidence.Evidence) []Finding{
	vocabulary.Leak: leaks, vocabulary.Loss: losses, vocabulary.Order: orderViolations, vocabulary.Foreign: foreignWrites,
	vocabulary.Secret: secretLeaks, vocabulary.Convergence: unconverged, vocabulary.Silence: brokenSilence,
	vocabulary.Request: wrongRequests, vocabulary.Status: untrueStatus, vocabulary.Pace: tooFast, vocabulary.Keys: openKeys,
	vocabulary.Panic: panics,
}

// Find returns the violations that an oracle finds.
func Find(oracle string, e *evidence.Evidence) []Finding {
	found := checks[oracle](e)
	for i := range found {
		found[i].Oracle = oracle
	}
	return found
}
