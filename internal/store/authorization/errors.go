package authorization

import "errors"

// Kinds of errors about callers, for errors.Is.
var (
	// ErrIdentity means that an identity token, or a key, is not accepted.
	ErrIdentity = errors.New("is not accepted")
	// ErrExpired means that an identity token was valid, and has expired.
	ErrExpired = errors.New("has expired")
	// ErrDenied means that an account has no access to a bucket.
	ErrDenied = errors.New("is denied")
)
