package description

import (
	"context"
	"errors"
)

// Backend injects failures into the backend of a driver. A method that is not supported returns an
// error that wraps ErrUnsupported: the checks that require it are not supported either.
type Backend interface {
	// Lose deletes the bucket with an ID, and its objects, behind the driver's back.
	Lose(ctx context.Context, bucket string) error
	// Fail has the backend fail or reject all requests, and Heal ends that.
	Fail(ctx context.Context) error
	Heal(ctx context.Context) error
}

// ErrUnsupported means that a Backend has no such action.
var ErrUnsupported = errors.New("the backend command does not support this")
