package existingcluster

import (
	"context"
	"fmt"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	leaseInterval = 500 * time.Millisecond
	// longDead is the time after its expiry at which a Lease counts as abandoned, although clocks
	// differ.
	longDead = time.Minute
)

// CheckLeases returns ErrBusy if a component holds a Lease of that name, in namespace or, where the
// user may read Leases, in any other. A Lease that a killed holder no longer renews does not count;
// to detect that takes as long as the Lease lasts.
func (c *Cluster) CheckLeases(ctx context.Context, namespace, name string) error {
	leases := &coordinationv1.LeaseList{}
	err := c.client.List(ctx, leases, client.MatchingFields{metav1.ObjectNameField: name})
	if apierrors.IsForbidden(err) {
		err = c.client.List(ctx, leases, client.InNamespace(namespace), client.MatchingFields{metav1.ObjectNameField: name})
	}
	if err != nil {
		return fmt.Errorf("look for Leases %s: %w", name, err)
	}
	for i := range leases.Items {
		if err := c.checkLease(ctx, &leases.Items[i]); err != nil {
			return err
		}
	}
	return nil
}

// checkLease watches a held Lease until it is renewed or expires. As in leader
// election, only the local clock counts.
func (c *Cluster) checkLease(ctx context.Context, first *coordinationv1.Lease) error {
	if !isHeld(first) {
		return nil
	}
	lasts := time.Duration(ptr.Deref(first.Spec.LeaseDurationSeconds, 0)) * time.Second
	if time.Since(ptr.Deref(first.Spec.RenewTime, metav1.MicroTime{}).Time) > lasts+longDead {
		return nil
	}
	now := &coordinationv1.Lease{}
	err := wait.PollUntilContextTimeout(ctx, leaseInterval, lasts, true, func(ctx context.Context) (bool, error) {
		err := c.client.Get(ctx, client.ObjectKeyFromObject(first), now)
		if apierrors.IsNotFound(err) {
			return true, nil
		}
		return err == nil && (!isHeld(now) || !now.Spec.RenewTime.Equal(first.Spec.RenewTime)), err
	})
	switch {
	case err == nil && isHeld(now):
		return fmt.Errorf("%w: Lease %s/%s is held by %s", ErrBusy, now.Namespace, now.Name, *now.Spec.HolderIdentity)
	case err == nil, wait.Interrupted(err) && ctx.Err() == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	default:
		return fmt.Errorf("look at Lease %s/%s: %w", first.Namespace, first.Name, err)
	}
}

func isHeld(lease *coordinationv1.Lease) bool {
	return ptr.Deref(lease.Spec.HolderIdentity, "") != "" && lease.Spec.RenewTime != nil
}
