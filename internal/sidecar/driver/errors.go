package driver

import (
	"errors"
	"fmt"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// CallError is the failure of a call, by the driver or by the connection.
type CallError struct {
	// Method is the name of the call, without its service.
	Method string
	// Code is the gRPC status code.
	Code codes.Code
	// Message is the driver's message, sanitized.
	Message string
}

func (e *CallError) Error() string {
	return fmt.Sprintf("%s failed with %s: %s", e.Method, e.Code, e.Message)
}

// IsTerminal reports whether the same call would always fail: see the important
// return codes of each call in the KEP. A deletion or a revocation is never given up:
// something would be left in the backend that is not wanted any more.
func (e *CallError) IsTerminal() bool {
	if e.Method == deleteBucket || e.Method == revokeBucketAccess {
		return false
	}
	switch e.Code {
	case codes.InvalidArgument, codes.AlreadyExists, codes.Unimplemented:
		return true
	case codes.OutOfRange:
		return e.Method == generateBucketAccessID || e.Method == grantBucketAccess
	default:
		return false
	}
}

// InvalidResponseError is an answer that violates the specification.
type InvalidResponseError struct {
	// Method is the name of the call, without its service.
	Method string
	// Problem says what is wrong with the answer.
	Problem string
}

func (e *InvalidResponseError) Error() string {
	return fmt.Sprintf("the answer to %s is invalid: %s", e.Method, e.Problem)
}

// IsTerminal reports whether the call that returned err would fail again, as long as
// neither its arguments nor the driver change.
func IsTerminal(err error) bool {
	if IsInvalidResponse(err) {
		return true
	}
	failed, ok := errors.AsType[*CallError](err)
	return ok && failed.IsTerminal()
}

// IsInvalidResponse reports whether err is an answer that violates the
// specification.
func IsInvalidResponse(err error) bool {
	_, ok := errors.AsType[*InvalidResponseError](err)
	return ok
}

func newCallError(method string, err error) *CallError {
	state := status.Convert(err)
	return &CallError{Method: method, Code: state.Code(), Message: sanitize(state.Message())}
}

func invalid(method, format string, args ...any) *InvalidResponseError {
	return &InvalidResponseError{Method: method, Problem: sanitize(fmt.Sprintf(format, args...))}
}
