package httpserver

import (
	"fmt"
	"net/http"
	"runtime/debug"
)

// Recover passes the result of the built-in recover on, as an error and the stack, so that a panic
// becomes an internal error. It does nothing without a panic, and panics again with
// http.ErrAbortHandler, which ends the connection.
func Recover(cause any, fail func(cause error, stack string)) {
	if cause == nil {
		return
	}
	if cause == http.ErrAbortHandler { //nolint:errorlint // a sentinel that net/http compares like this
		panic(cause)
	}
	fail(fmt.Errorf("panic: %v", cause), string(debug.Stack())) //nolint:err113 // has no kind
}
