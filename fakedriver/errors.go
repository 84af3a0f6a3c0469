package fakedriver

import "errors"

// Kinds of errors of a Backend, for errors.Is. The errors themselves name the bucket
// or account.
var (
	// ErrNotExist means that a bucket or an account does not exist.
	ErrNotExist = errors.New("does not exist")
	// ErrConflict means that the bucket or account exists, but with another specification or
	// another owner.
	ErrConflict = errors.New("exists and differs")
	// ErrNotEmpty means that a bucket contains objects.
	ErrNotEmpty = errors.New("is not empty")
	// ErrInvalid means that a name or value is not allowed.
	ErrInvalid = errors.New("is not valid")
	// ErrLimit means that the maximum number of accounts is reached.
	ErrLimit  = errors.New("has reached its limit")
	ErrClosed = errors.New("store is closed")
)
