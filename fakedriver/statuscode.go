package fakedriver

import (
	"context"
	"errors"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// kinds maps the kinds of the backend's errors to codes. AlreadyExists and InvalidArgument are
// terminal for the sidecar; it retries the others.
var kinds = []struct {
	kind error
	code codes.Code
	hint string
}{
	{ErrNotExist, codes.NotFound, ""},
	{ErrConflict, codes.AlreadyExists, ""},
	{ErrNotEmpty, codes.FailedPrecondition, ": delete its objects first"},
	{ErrInvalid, codes.InvalidArgument, ""},
	{ErrLimit, codes.ResourceExhausted, ": delete another access first"},
	{ErrClosed, codes.Unavailable, ""},
	{context.Canceled, codes.Canceled, ""},
	{context.DeadlineExceeded, codes.DeadlineExceeded, ""},
}

// statusOf turns an error of the backend into a gRPC status. An error of another kind is Internal,
// and its text goes to the log only.
func statusOf(err error) error {
	if _, ok := status.FromError(err); ok {
		return err
	}
	for _, known := range kinds {
		if errors.Is(err, known.kind) {
			return &described{status.New(known.code, err.Error()+known.hint), err}
		}
	}
	return &described{status.New(codes.Internal, "the object store failed; see its log"), err}
}

// described is an error with a status for the wire and a cause for the log.
type described struct {
	status *status.Status
	cause  error
}

func (d *described) Error() string              { return d.cause.Error() }
func (d *described) Unwrap() error              { return d.cause }
func (d *described) GRPCStatus() *status.Status { return d.status }
