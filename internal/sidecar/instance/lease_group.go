package instance

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-logr/logr"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// ErrDriverNameCollision is wrapped by the error of Start when, in the Lease of the driver, the
// name belongs to another group.
var ErrDriverNameCollision = errors.New("different drivers have the same name")

// driverGroup records on the Lease of a driver which group its name belongs to. Of two drivers with
// one name, each would get the other's buckets, and would report a bucket that it never had as
// deleted. The record outlives the sidecar, as the buckets do.
type driverGroup struct {
	client     client.Client // without a cache
	logger     logr.Logger
	events     leaseEvents
	driverName string
	lease      client.ObjectKey
	group      string
	takeOver   string // the group from which the name may be taken over

	timeout  time.Duration // of await
	backoff  wait.Backoff  // of await
	reported string        // the latest collision that an Event reports
}

// await claims the name. While it belongs to another group, it tries again with back-off, and fails
// after the timeout.
func (g *driverGroup) await(ctx context.Context) error {
	timeout := time.NewTimer(g.timeout)
	defer timeout.Stop()
	for isLast := g.timeout <= 0; ; {
		collision := g.claim(ctx)
		if isLast || !errors.Is(collision, ErrDriverNameCollision) {
			return collision
		}
		delay := g.backoff.Step()
		g.logger.Info("waiting for the driver's name", "driver", g.driverName, "timeout", g.timeout.String(), "cause", collision.Error())
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-timeout.C:
			isLast = true
		case <-time.After(delay):
		}
	}
}

// claim records the group, unless the Lease has another one. The first claim comes before the sidecar
// takes part in an election or does any work.
func (g *driverGroup) claim(ctx context.Context) error {
	for {
		err := g.tryClaim(ctx)
		isRace := apierrors.IsConflict(err) || apierrors.IsAlreadyExists(err) || apierrors.IsNotFound(err)
		if !isRace || ctx.Err() != nil {
			return err
		}
	}
}

func (g *driverGroup) tryClaim(ctx context.Context) error {
	lease := &coordinationv1.Lease{}
	if err := g.client.Get(ctx, g.lease, lease); apierrors.IsNotFound(err) {
		return g.describe(g.client.Create(ctx, &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{
			Namespace: g.lease.Namespace, Name: g.lease.Name, Labels: map[string]string{labelGroup: g.group},
		}}))
	} else if err != nil {
		return g.describe(err)
	}
	if collision := g.check(lease); collision != nil && !g.mayTakeOver(lease) {
		g.report(ctx, lease, collision)
		return collision
	}
	return g.write(ctx, lease)
}

// report writes an Event about a collision that is not the latest one.
func (g *driverGroup) report(ctx context.Context, lease *coordinationv1.Lease, collision error) {
	if message := collision.Error(); message != g.reported {
		g.reported = message
		g.events.record(ctx, lease, corev1.EventTypeWarning, message)
	}
}

// write writes the group on a Lease, unless another sidecar has written it meanwhile.
func (g *driverGroup) write(ctx context.Context, lease *coordinationv1.Lease) error {
	before, isRecorded := lease.Labels[labelGroup]
	if isRecorded && before == g.group {
		return nil
	}
	metav1.SetMetaDataLabel(&lease.ObjectMeta, labelGroup, g.group)
	if err := g.client.Update(ctx, lease); err != nil {
		return g.describe(err)
	}
	if isRecorded {
		message := fmt.Sprintf("group %q takes the driver name %s over from group %q", g.group, g.driverName, before)
		g.logger.Info(message)
		g.events.record(ctx, lease, corev1.EventTypeNormal, message)
	}
	return nil
}

// check returns ErrDriverNameCollision if the Lease has another group.
func (g *driverGroup) check(lease *coordinationv1.Lease) error {
	theirs, isRecorded := lease.Labels[labelGroup]
	if !isRecorded || theirs == g.group {
		return nil
	}
	wayOut := "delete the Lease"
	if theirs != "" {
		wayOut = fmt.Sprintf("start this sidecar with --take-over=%s, or delete the Lease", theirs)
	}
	return fmt.Errorf("%w: by Lease %s, the name %s belongs to the driver of group %q%s, and this sidecar is of group %q; "+
		"rename one of the drivers, or, if the other one is gone for good, %s",
		ErrDriverNameCollision, g.lease, g.driverName, theirs, g.holder(lease), g.group, wayOut)
}

// holder names the sidecar that leads, if there is one.
func (g *driverGroup) holder(lease *coordinationv1.Lease) string {
	if !isHeld(lease, g.events.now()) {
		return ""
	}
	return fmt.Sprintf(" (its sidecar %s leads)", *lease.Spec.HolderIdentity)
}

func (g *driverGroup) mayTakeOver(lease *coordinationv1.Lease) bool {
	return g.takeOver != "" && lease.Labels[labelGroup] == g.takeOver
}

func (g *driverGroup) describe(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("record the group of driver %s on Lease %s, as the Role in deploy/rbac/sidecar.yaml allows: %w",
		g.driverName, g.lease, err)
}
