package reasons

// Kind says what follows from a finding. The list is closed.
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

// Unwritable returns a finding of KindUnwritable.
func Unwritable(reason, format string, args ...any) error {
	return found(KindUnwritable, reason, format, args)
}

// Failed returns a finding of KindFailed.
func Failed(reason, format string, args ...any) error {
	return found(KindFailed, reason, format, args)
}

// Refused returns a finding of KindRefused.
func Refused(reason, format string, args ...any) error {
	return found(KindRefused, reason, format, args)
}
