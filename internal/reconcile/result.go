package reconcile

import (
	"context"
	"errors"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/cosi-emu/cosi-emu/internal/reconcile/reasons"
)

// ResultOf turns the error of a reconcile into its result, and keeps the ordinary races of a system
// with many writers out of the log.
//
//   - An interrupted reconcile is left to the next instance of the component.
//   - A postponed reconcile is repeated by the component.
//   - A terminal error is logged once, for the operator.
//   - Any other *reasons.Error is already in the conditions. Time or a watch causes
//     the next reconcile.
//   - A conflict, or an object that has vanished or appeared meanwhile, means that
//     another writer was faster. It is retried with back-off.
func ResultOf(ctx context.Context, err error) (reconcile.Result, error) {
	found, isReason := reasons.As(err)
	switch {
	case err == nil, errors.Is(err, ErrPostponed), errors.Is(context.Cause(ctx), context.Canceled):
		return reconcile.Result{}, nil
	case errors.Is(err, reconcile.TerminalError(nil)):
		return reconcile.Result{}, err
	case isReason && !found.IsRetryable():
		return reconcile.Result{}, nil
	case isReason, apierrors.IsConflict(err), apierrors.IsNotFound(err), apierrors.IsAlreadyExists(err):
		log.FromContext(ctx).V(1).Info("retry with back-off", "why", err.Error())
		return withBackOff(), nil
	default:
		return reconcile.Result{}, err
	}
}

// withBackOff is the result of a reconcile that has to be repeated, although
// nothing has failed.
func withBackOff() reconcile.Result {
	return reconcile.Result{Requeue: true} //nolint:staticcheck // RequeueAfter would reset the back-off
}
