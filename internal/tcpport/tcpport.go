// Package tcpport listens on TCP ports that users choose.
package tcpport

import (
	"context"
	"errors"
	"fmt"
	"net"
)

// Error means that a service cannot listen on its address, usually because another program does.
type Error struct {
	// Service is what would listen, in words of the user.
	Service string
	// Address is the host and the port.
	Address string
	Err     error
}

// Error implements error.
func (e *Error) Error() string {
	return fmt.Sprintf("listen for %s on %s: %v; stop the program that uses it, or choose another port", e.Service, e.Address, e.Err)
}

// Unwrap returns the cause, such as syscall.EADDRINUSE.
func (e *Error) Unwrap() error { return e.Err }

// Listen listens on an address for a service. The error is an *Error.
func Listen(ctx context.Context, service, address string) (net.Listener, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		if failed, ok := errors.AsType[*net.OpError](err); ok {
			err = failed.Err // the rest of the message repeats the address
		}
		return nil, &Error{Service: service, Address: address, Err: err}
	}
	return listener, nil
}
