// Package reasons has what a phase finds out about an object when it cannot go
// on, as an error. A finding is not a failure of the component: it belongs into
// the object's conditions, and what happens next depends on its kind.
package reasons

import (
	"errors"
	"fmt"
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

// IsPermanent reports whether only a change by somebody else can help.
func (e *Error) IsPermanent() bool {
	return e.Kind == KindInvalid || e.Kind == KindLost || e.Kind == KindRefused
}

// IsRetryable reports whether time alone may help.
func (e *Error) IsRetryable() bool { return e.Kind == KindFailed || e.Kind == KindUnwritable }

// As returns the finding in err's chain, if there is one.
func As(err error) (*Error, bool) {
	return errors.AsType[*Error](err)
}

func found(kind Kind, reason, format string, args []any) error {
	return &Error{Kind: kind, Reason: reason, Message: fmt.Sprintf(format, args...)}
}
