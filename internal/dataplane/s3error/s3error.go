// Package s3error holds the errors of the S3 protocol: their codes, their HTTP
// statuses and the XML document that clients parse. All rejections of the store use
// it, so that they look like those of S3.
package s3error

import (
	"errors"
	"net/http"
	"slices"
	"syscall"
)

// Error is an error as S3 clients see it.
type Error struct {
	// Code is what programs compare, for example NoSuchKey.
	Code string
	// Status is the HTTP status that belongs to the code.
	Status int
	// Message is for people. It is sent to the client and must
	// hold nothing secret.
	Message string
	// Region is where the request should have been signed for; only
	// AuthorizationHeaderMalformed and AuthorizationQueryParametersError have it.
	Region string
	// Details are further elements of the document, which S3 has for some codes.
	Details []Detail
}

// Detail is an element of the document.
type Detail struct{ Name, Value string }

// Error implements the error interface.
func (e *Error) Error() string { return e.Code + ": " + e.Message }

// Is makes errors with the same code equal for errors.Is. It ignores messages.
func (e *Error) Is(target error) bool {
	other, ok := target.(*Error)
	return ok && other.Code == e.Code
}

// With returns the error with another message.
func (e *Error) With(message string) *Error {
	changed := *e
	changed.Message = message
	return &changed
}

// About returns the error with a further element, which is sent to the client of
// the request.
func (e *Error) About(name, value string) *Error {
	changed := *e
	changed.Details = append(slices.Clone(e.Details), Detail{Name: name, Value: value})
	return &changed
}

// ErrStorageFull is the InternalError of a store whose disk is full. Its status is of
// WebDAV. Clients try again, as with every status of a server's error.
var ErrStorageFull = &Error{
	Code: ErrInternalError.Code, Status: http.StatusInsufficientStorage,
	Message: "The store cannot write: " + syscall.ENOSPC.Error() + ". Free some space, and try again.",
}

// From returns the S3 error in err's chain; anything else is InternalError, whose
// message says nothing about the cause, unless that is a full disk.
func From(err error) *Error {
	if found, ok := errors.AsType[*Error](err); ok {
		return found
	}
	if errors.Is(err, syscall.ENOSPC) {
		return ErrStorageFull
	}
	return ErrInternalError
}
