// Package s3error has the errors of the S3 protocol: their codes, their HTTP statuses and the XML
// document that clients parse. All rejections of the store use it, so that they look like S3's.
package s3error

import (
	"errors"
	"net/http"
	"slices"
	"syscall"
)

// Error is an error as S3 clients see it.
type Error struct {
	// Code is for programs, for example NoSuchKey.
	Code string
	// Status is the HTTP status that belongs to the code.
	Status int
	// Message is for users. It is sent to the client and must not contain secrets.
	Message string
	// Region is the region that the request should have been signed for; only
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

// About returns the error with a further element, which is sent to the client of the request.
func (e *Error) About(name, value string) *Error {
	changed := *e
	changed.Details = append(slices.Clone(e.Details), Detail{Name: name, Value: value})
	return &changed
}

// ErrStorageFull is the InternalError of a store whose disk is full. Its status is WebDAV's.
// Clients retry, as after every server error.
var ErrStorageFull = &Error{
	Code: ErrInternalError.Code, Status: http.StatusInsufficientStorage,
	Message: "The store cannot write: " + syscall.ENOSPC.Error() + ". Free some space, and try again.",
}

// From returns the S3 error in err's chain, or InternalError, whose message hides the cause, unless
// it is a full disk.
func From(err error) *Error {
	if found, ok := errors.AsType[*Error](err); ok {
		return found
	}
	if errors.Is(err, syscall.ENOSPC) {
		return ErrStorageFull
	}
	return ErrInternalError
}
