package connection

import (
	"errors"
	"fmt"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// CallError is the failure of a call, by the driver or by the connection.
type CallError struct {
	Method string
	Code   codes.Code
	// Message is the driver's message, sanitized.
	Message string
	// Final is set if the same call would always fail.
	Final bool
}

func (e *CallError) Error() string {
	return fmt.Sprintf("%s failed with %s: %s", e.Method, e.Code, e.Message)
}

// InvalidResponseError is an answer that violates the specification.
type InvalidResponseError struct {
	Method string
	// Problem describes the violation.
	Problem string
}

func (e *InvalidResponseError) Error() string {
	return fmt.Sprintf("the answer to %s is invalid: %s", e.Method, e.Problem)
}

// IsTerminal reports whether the call that returned err would fail again, as long as neither its
// arguments nor the driver change.
func IsTerminal(err error) bool {
	if IsInvalidResponse(err) {
		return true
	}
	failed, ok := errors.AsType[*CallError](err)
	return ok && failed.Final
}

// IsInvalidResponse reports whether err is an answer that violates the
// specification.
func IsInvalidResponse(err error) bool {
	_, ok := errors.AsType[*InvalidResponseError](err)
	return ok
}

// CodeOf returns the gRPC status code of a call that failed, and OK if err is not the
// failure of a call.
func CodeOf(err error) codes.Code {
	if failed, ok := errors.AsType[*CallError](err); ok {
		return failed.Code
	}
	return codes.OK
}

// NewCallError returns the CallError for an error of a generated gRPC client. It ignores the
// details of the status, which the specification forbids.
func NewCallError(method string, err error, isFinal func(method string, code codes.Code) bool) *CallError {
	state := status.Convert(err)
	return &CallError{Method: method, Code: state.Code(), Message: sanitize(state.Message()), Final: isFinal(method, state.Code())}
}

// Invalid returns an InvalidResponseError.
func Invalid(method, format string, args ...any) *InvalidResponseError {
	return &InvalidResponseError{Method: method, Problem: sanitize(fmt.Sprintf(format, args...))}
}

func (c *Conn) callError(method string, err error) *CallError {
	return NewCallError(method, err, c.generation.IsFinal)
}
