package store

import "errors"

// Kinds of errors of identities, to be told apart with errors.Is.
var (
	// ErrIdentity means that an identity token, or a key, is not accepted.
	ErrIdentity = errors.New("is not accepted")
	// ErrExpired means that an identity token was good, and is no longer.
	ErrExpired = errors.New("has expired")
	// ErrDenied means that an account may not do something.
	ErrDenied = errors.New("is denied")
)
