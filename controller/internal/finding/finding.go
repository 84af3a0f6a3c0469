// Package finding has what a phase finds out about an object when it cannot go
// on, as an error. A finding is not a failure of the controller: it belongs into
// the object's conditions, and what happens next depends on its kind.
package finding

import (
	"errors"
	"fmt"
)

// Kind says what follows from a finding.
type Kind int

const (
	// KindWaiting means that another object has to appear or to change first. A
	// watch on that object wakes this one.
	KindWaiting Kind = iota
	// KindBlocked means that a deletion has to wait for other objects, which
	// says nothing about the validity of this one.
	KindBlocked
	// KindInvalid means that the object cannot be satisfied as things stand, and
	// that trying again would not help.
	KindInvalid
	// KindLost means that what had been provisioned is definitely gone.
	KindLost
)

// Error is a finding. Reason is one of the reasons that package v1alpha2 lists,
// and Message names the objects concerned, for the user to read.
type Error struct {
	Kind    Kind
	Reason  string
	Message string
}

// Error returns reason and message.
func (e *Error) Error() string { return e.Reason + ": " + e.Message }

// Permanent reports whether only a change by somebody else can help.
func (e *Error) Permanent() bool { return e.Kind == KindInvalid || e.Kind == KindLost }

// Waiting returns a finding of KindWaiting.
func Waiting(reason, format string, args ...any) error {
	return found(KindWaiting, reason, format, args)
}

// Blocked returns a finding of KindBlocked.
func Blocked(reason, format string, args ...any) error {
	return found(KindBlocked, reason, format, args)
}

// Invalid returns a finding of KindInvalid.
func Invalid(reason, format string, args ...any) error {
	return found(KindInvalid, reason, format, args)
}

// Lost returns a finding of KindLost.
func Lost(reason, format string, args ...any) error {
	return found(KindLost, reason, format, args)
}

// As returns the finding in err's chain, if there is one.
func As(err error) (*Error, bool) {
	return errors.AsType[*Error](err)
}

func found(kind Kind, reason, format string, args []any) error {
	return &Error{Kind: kind, Reason: reason, Message: fmt.Sprintf(format, args...)}
}
