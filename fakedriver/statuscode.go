package fakedriver

import (
	"context"
	"errors"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// kinds maps the kinds of the backend's errors to codes. AlreadyExists and
// InvalidArgument are final for the sidecar; it repeats the call for the others.
var kinds = []struct {
	kind error
	code codes.Code
	hint string
}{
	{ErrNotExist, codes.NotFound, ""},
	{ErrConflict, codes.AlreadyExists, ""},
	{ErrNotEmpty, codes.FailedPrecondition, ": delete its objects, then it will be deleted"},
	{ErrInvalid, codes.InvalidArgument, ""},
	{ErrLimit, codes.ResourceExhausted, ": end another access, then this one will be granted"},
	{ErrClosed, codes.Unavailable, ""},
	{context.Canceled, codes.Canceled, ""},
	{context.DeadlineExceeded, codes.DeadlineExceeded, ""},
}

// statusOf turns an error of the backend into one of gRPC. What is of no known
// kind is Internal, and its text is not shown: nobody has looked at it.
func statusOf(err error) error {
	if _, ok := status.FromError(err); ok {
		return err
	}
	for _, known := range kinds {
		if errors.Is(err, known.kind) {
			return &described{status.New(known.code, err.Error()+known.hint), err}
		}
	}
	return &described{status.New(codes.Internal, "the S3 store failed; its log says why"), err}
}

// described is an error with a status for the wire and a cause for the log.
type described struct {
	status *status.Status
	cause  error
}

func (d *described) Error() string              { return d.cause.Error() }
func (d *described) Unwrap() error              { return d.cause }
func (d *described) GRPCStatus() *status.Status { return d.status }
