// Package reasons has the errors of phases that cannot continue with an object. Such an error is
// not a failure of the component. It is recorded in the object's conditions, and its kind decides
// what happens next.
package reasons

import (
	"errors"
	"fmt"
)

// Error is the reason for which an object cannot continue. Reason is one of the list in package
// v1alpha2. Message is for users, and names the objects concerned.
type Error struct {
	Kind    Kind
	Reason  string
	Message string
}

// Error returns reason and message.
func (e *Error) Error() string { return e.Reason + ": " + e.Message }

// IsPermanent reports whether only a change of an object or of the driver helps.
func (e *Error) IsPermanent() bool {
	return e.Kind == KindInvalid || e.Kind == KindLost || e.Kind == KindRejected
}

// IsRetryable reports whether a retry may help without any change.
func (e *Error) IsRetryable() bool { return e.Kind == KindFailed || e.Kind == KindUnwritable }

// As returns the Error in err's chain, if any.
func As(err error) (*Error, bool) {
	return errors.AsType[*Error](err)
}

func newError(kind Kind, reason, format string, args []any) error {
	return &Error{Kind: kind, Reason: reason, Message: fmt.Sprintf(format, args...)}
}
