package store

import "errors"

// Kinds of errors of the administrative methods, to be told apart with
// errors.Is. The errors themselves name the bucket or account.
var (
	// ErrNotExist means that a bucket does not exist.
	ErrNotExist = errors.New("does not exist")
	// ErrConflict means that the bucket or account exists, but differs from
	// what is asked for, or belongs to another owner.
	ErrConflict = errors.New("exists and differs")
	// ErrNotEmpty means that a bucket holds objects.
	ErrNotEmpty = errors.New("is not empty")
	// ErrInvalid means that a name or value can never be accepted.
	ErrInvalid = errors.New("is not valid")
	// ErrLimit means that there are as many accounts as may be.
	ErrLimit = errors.New("has reached its limit")
	// ErrIdentity means that an identity token, or a key, is not accepted.
	ErrIdentity = errors.New("is not accepted")
	// ErrExpired means that an identity token was good, and is no longer.
	ErrExpired = errors.New("has expired")
	// ErrDenied means that an account may not do something.
	ErrDenied = errors.New("is denied")
	// ErrClosed means that the store has been closed.
	ErrClosed = errors.New("store is closed")
)
