package access

import (
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// NotReadyError means that an access was not ready in time.
type NotReadyError struct {
	Key      client.ObjectKey
	Obstacle string
}

func (e *NotReadyError) Error() string {
	return fmt.Sprintf("BucketAccess %s is not ready: %s", e.Key, e.Obstacle)
}

// ForbiddenError means that a Pod must not read an object.
type ForbiddenError struct {
	// Verb and Object are such as "get" and "Secret shop/photos".
	Verb, Object string
	err          error
}

func (e *ForbiddenError) Error() string {
	return fmt.Sprintf("the ServiceAccount of the Pod has no right to %s %s: bind it to a Role with get and watch of its "+
		"bucketaccesses and get of their secrets; deploy/node/example has one", e.Verb, e.Object)
}

// Unwrap returns the API server's answer.
func (e *ForbiddenError) Unwrap() error { return e.err }

// explain adds verb and object to an error of the API server.
func explain(verb, object string, err error) error {
	switch {
	case err == nil:
		return nil
	case apierrors.IsForbidden(err):
		return &ForbiddenError{Verb: verb, Object: object, err: err}
	case apierrors.IsUnauthorized(err):
		return fmt.Errorf("%s %s: the API server rejects the token of the Pod, which may have expired: %w", verb, object, err)
	default:
		return fmt.Errorf("%s %s: %w", verb, object, err)
	}
}
