package fakedriver

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
	// ErrClosed means that the store has been closed.
	ErrClosed = errors.New("store is closed")
)
