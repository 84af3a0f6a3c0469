package reasons

// Kind decides how the runner handles an Error. The list is closed.
type Kind int

const (
	// KindWaiting means that another object must appear or change first. A watch on that object
	// causes the next reconcile.
	KindWaiting Kind = iota
	// KindBlocked means that a deletion must wait for other objects; the object itself is valid.
	KindBlocked
	// KindInvalid means that the object cannot be satisfied as it is. A retry would not help.
	KindInvalid
	// KindLost means that the provisioned bucket or access definitely does not exist any more.
	KindLost
	// KindUnwritable means that a Kubernetes object cannot be written now. It is
	// retried with back-off.
	KindUnwritable
	// KindFailed means that a call to the driver has failed for a reason that may be temporary. It
	// is retried with back-off.
	KindFailed
	// KindRejected means that the driver has rejected the call, or that its answer is invalid. A
	// retry would not help until something changes.
	KindRejected
)

// Waiting returns an Error of KindWaiting.
func Waiting(reason, format string, args ...any) error {
	return newError(KindWaiting, reason, format, args)
}

// Blocked returns an Error of KindBlocked.
func Blocked(reason, format string, args ...any) error {
	return newError(KindBlocked, reason, format, args)
}

// Invalid returns an Error of KindInvalid.
func Invalid(reason, format string, args ...any) error {
	return newError(KindInvalid, reason, format, args)
}

// Lost returns an Error of KindLost.
func Lost(reason, format string, args ...any) error {
	return newError(KindLost, reason, format, args)
}

// Unwritable returns an Error of KindUnwritable.
func Unwritable(reason, format string, args ...any) error {
	return newError(KindUnwritable, reason, format, args)
}

// Failed returns an Error of KindFailed.
func Failed(reason, format string, args ...any) error {
	return newError(KindFailed, reason, format, args)
}

// Rejected returns an Error of KindRejected.
func Rejected(reason, format string, args ...any) error {
	return newError(KindRejected, reason, format, args)
}
