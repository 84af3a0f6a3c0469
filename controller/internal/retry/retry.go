// Package retry separates what goes wrong every day in a system of many writers
// from what an operator should read about.
package retry

import (
	"context"
	"errors"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// Quietly turns the error of a reconcile into its result. A conflict, or an
// object that has vanished in between, means that somebody else was faster: the
// reconcile is tried again with back-off and nothing is logged. An interrupted
// reconcile is left to the next instance of the controller.
func Quietly(err error) (reconcile.Result, error) {
	switch {
	case errors.Is(err, context.Canceled):
		return reconcile.Result{}, nil
	case apierrors.IsConflict(err), apierrors.IsNotFound(err):
		return reconcile.Result{Requeue: true}, nil //nolint:staticcheck // RequeueAfter would forget the back-off
	default:
		return reconcile.Result{}, err
	}
}
