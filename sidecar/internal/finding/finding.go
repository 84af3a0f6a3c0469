// Package finding has what a phase finds out about an object when it cannot go
// on, as an error. A finding is not a failure of the sidecar: it belongs into
// the object's conditions, and what happens next depends on its kind.
package finding

import (
	"errors"
	"fmt"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/sidecar/driver"
)

// Kind says what follows from a finding.
type Kind int

const (
	// KindWaiting means that another object has to change first. A watch on that
	// object wakes this one.
	KindWaiting Kind = iota
	// KindBlocked means that a deletion has to wait for other objects, which
	// says nothing about the validity of this one.
	KindBlocked
	// KindInvalid means that the object cannot be satisfied as things stand, and
	// that trying again would not help.
	KindInvalid
	// KindUnwritable means that an object of Kubernetes cannot be written now.
	// The work is repeated with back-off.
	KindUnwritable
	// KindFailed means that the driver has failed in a way that may pass. The
	// work is repeated with back-off.
	KindFailed
	// KindRefused means that the driver has refused, or answered nonsense, and
	// that asking again would not help until something changes.
	KindRefused
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

// Retry reports whether time alone may help.
func (e *Error) Retry() bool { return e.Kind == KindFailed || e.Kind == KindUnwritable }

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

// Unwritable returns a finding of KindUnwritable.
func Unwritable(reason, format string, args ...any) error {
	return found(KindUnwritable, reason, format, args)
}

// InvalidResponse returns a finding of KindRefused: the driver's answer is not
// what it has to be.
func InvalidResponse(format string, args ...any) error {
	return found(KindRefused, v1alpha2.ReasonInvalidDriverResponse, format, args)
}

// FromDriver turns an error of a call to the driver into a finding.
func FromDriver(err error) error {
	switch {
	case err == nil:
		return nil
	case driver.IsInvalidResponse(err):
		return InvalidResponse("%v", err)
	case driver.Terminal(err):
		return found(KindRefused, v1alpha2.ReasonDriverRefused, "%v", []any{err})
	default:
		return found(KindFailed, v1alpha2.ReasonDriverError, "%v", []any{err})
	}
}

// As returns the finding in err's chain, if there is one.
func As(err error) (*Error, bool) {
	return errors.AsType[*Error](err)
}

func found(kind Kind, reason, format string, args []any) error {
	return &Error{Kind: kind, Reason: reason, Message: fmt.Sprintf(format, args...)}
}
