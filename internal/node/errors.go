package node

import (
	"context"
	"errors"
	"net/url"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/internal/node/access"
)

// invalidError means that the volume's attributes do not fit its access.
type invalidError struct{ message string }

func (e *invalidError) Error() string { return e.message }

// conflictError means that the ID of a volume belongs to another volume.
type conflictError struct{ message string }

func (e *conflictError) Error() string { return e.message }

// uncertainError means that something of a failed volume exists. Its code has the kubelet call NodeUnpublishVolume
// even if the Pod never starts.
type uncertainError struct{ err error }

func (e *uncertainError) Error() string { return e.err.Error() }

func (e *uncertainError) Unwrap() error { return e.err }

// statusOf returns the gRPC status of an error. The kubelet shows the message in an Event of the Pod, and tries again.
func statusOf(err error) error {
	return status.Error(codeOf(err), err.Error())
}

func codeOf(err error) codes.Code {
	has := func(target any) bool { return errors.As(err, target) }
	switch {
	case has(new(*uncertainError)), has(new(*access.NotReadyError)):
		return codes.Unavailable
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return codes.DeadlineExceeded
	case has(new(*invalidError)):
		return codes.InvalidArgument
	case has(new(*conflictError)):
		return codes.AlreadyExists
	case apierrors.IsNotFound(err):
		return codes.NotFound
	case apierrors.IsForbidden(err):
		return codes.PermissionDenied
	case apierrors.IsUnauthorized(err):
		return codes.Unauthenticated
	case apierrors.ReasonForError(err) != metav1.StatusReasonUnknown, has(new(*url.Error)):
		return codes.Unavailable // the API server has failed, or cannot be reached
	default:
		return codes.Internal
	}
}
