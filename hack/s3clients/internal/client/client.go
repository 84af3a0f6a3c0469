// Package client says what a client of the store is to the program that tries
// them all. It exists so that a library and a command line can be driven alike.
package client

import (
	"context"
	"errors"

	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/operation"
	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/secret"
)

// ErrNone says that a client does not have an operation.
var ErrNone = errors.New("the client does not have this operation")

// ErrMissing says that a client is not installed.
var ErrMissing = errors.New("not installed")

// Client is a column of the table.
type Client struct {
	// Name and Version are of the program or library.
	Name, Version string
	// Open begins a session.
	Open func(Target) (Session, error)
}

// Target is where a session goes.
type Target struct {
	Secret secret.Secret
	// Other is the name of a bucket that the Secret gives no access to.
	Other string
	// Proxy is the URL of an HTTP proxy by which the hosts of virtual-host
	// addresses are found, or empty if there are none, or the system finds them.
	Proxy string
	// Dir is a directory for files of the session.
	Dir string
}

// Session does operations, one at a time.
type Session interface {
	// Run does an operation. The error is ErrNone if the client does not have it,
	// and else says what was not as it should be.
	Run(ctx context.Context, id operation.ID) error
	// Close ends what the session has started.
	Close() error
}
