// Package retry says when an object is looked at again, and keeps what goes
// wrong every day in a system of many writers out of the log.
package retry

import (
	"context"
	"errors"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/cosi-emu/cosi-emu/internal/reconcile/reasons"
)

// Quietly turns the error of a reconcile into its result. A reconcile that was
// interrupted is left to the next instance of the component. A terminal error is
// what an operator should read about, once. Any other finding stands in the
// conditions already; time or a watch brings the object back. A conflict, or an
// object that has vanished or appeared in between, means that somebody else was
// faster: the reconcile is tried again with back-off.
func Quietly(ctx context.Context, err error) (reconcile.Result, error) {
	found, isFinding := reasons.As(err)
	switch {
	case err == nil, errors.Is(context.Cause(ctx), context.Canceled):
		return reconcile.Result{}, nil
	case errors.Is(err, reconcile.TerminalError(nil)):
		return reconcile.Result{}, err
	case isFinding && !found.Retry():
		return reconcile.Result{}, nil
	case isFinding, apierrors.IsConflict(err), apierrors.IsNotFound(err), apierrors.IsAlreadyExists(err):
		log.FromContext(ctx).V(1).Info("trying again with back-off", "why", err.Error())
		return WithBackOff(), nil
	default:
		return reconcile.Result{}, err
	}
}

// WithBackOff is the result of a reconcile that is to be tried again, though nothing
// has failed.
func WithBackOff() reconcile.Result {
	return reconcile.Result{Requeue: true} //nolint:staticcheck // RequeueAfter would forget the back-off
}
