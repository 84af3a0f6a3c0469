package sidecar

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"github.com/go-logr/logr"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/condition"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/driver"
)

// ErrDriverNameCollision is wrapped by the error of Start when the sidecar of a
// different driver with the same name is the leader.
var ErrDriverNameCollision = errors.New("different drivers have the same name")

// driverNameConflict watches the Lease for the sidecar of another driver with the
// same name. Each of the two drivers would get the other's buckets. So this sidecar,
// which came second, stops.
type driverNameConflict struct {
	client client.Client
	cache  cache.Cache
	logger logr.Logger
	driver *driver.Driver
	group  string
	now    func() time.Time
}

// Start implements manager.Runnable.
func (n *driverNameConflict) Start(ctx context.Context) error {
	leases := make(chan *coordinationv1.Lease)
	pass := func(object any) {
		if lease, ok := object.(*coordinationv1.Lease); ok {
			select {
			case leases <- lease:
			case <-ctx.Done():
			}
		}
	}
	informer, err := n.cache.GetInformer(ctx, &coordinationv1.Lease{}, cache.BlockUntilSynced(false))
	if err != nil {
		return err
	}
	added, err := informer.AddEventHandler(toolscache.ResourceEventHandlerFuncs{
		AddFunc:    pass,
		UpdateFunc: func(_, is any) { pass(is) },
	})
	if err != nil {
		return err
	}
	err = n.checkAll(ctx, leases)
	return errors.Join(err, informer.RemoveEventHandler(added))
}

// NeedLeaderElection implements manager.LeaderElectionRunnable: the standby has to
// notice.
func (*driverNameConflict) NeedLeaderElection() bool { return false }

func (n *driverNameConflict) checkAll(ctx context.Context, leases <-chan *coordinationv1.Lease) error {
	warned := ""
	for {
		select {
		case <-ctx.Done():
			return nil
		case lease := <-leases:
			collision := n.check(lease)
			if collision == nil {
				continue
			}
			fatal := errors.Is(collision, ErrDriverNameCollision)
			if holder := *lease.Spec.HolderIdentity; fatal || holder != warned {
				warned = holder
				n.record(ctx, lease, collision)
			}
			if fatal {
				return collision
			}
		}
	}
}

// record writes an Event about the Lease. It does not use a recorder, which might
// not have sent the Event before the sidecar stops. The name of the Event follows
// from its message, so that a sidecar that restarts repeatedly leaves only one.
func (n *driverNameConflict) record(ctx context.Context, lease *coordinationv1.Lease, collision error) {
	n.logger.Error(collision, "another driver has the same name", "driver", n.driver.Name())
	event := &eventsv1.Event{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: lease.Namespace,
			Name:      fmt.Sprintf("%s.%x", lease.Name, sha256.Sum224([]byte(collision.Error()))),
		},
		EventTime:           metav1.NewMicroTime(n.now()),
		ReportingController: eventSource,
		ReportingInstance:   eventSource + "-" + n.group,
		Action:              "Elect",
		Reason:              v1alpha2.ReasonDriverNameCollision,
		Type:                corev1.EventTypeWarning,
		Note:                condition.Clip(collision.Error()),
		Regarding: corev1.ObjectReference{
			APIVersion: coordinationv1.SchemeGroupVersion.String(), Kind: "Lease",
			Namespace: lease.Namespace, Name: lease.Name, UID: lease.UID,
		},
	}
	if err := client.IgnoreAlreadyExists(n.client.Create(ctx, event)); err != nil {
		n.logger.Error(err, "write an Event", "event", event.Name)
	}
}

// check compares this driver with the leader's. Another group means another driver,
// which is ErrDriverNameCollision. If only the protocols differ, it may be another
// version of the same driver during an upgrade.
func (n *driverNameConflict) check(lease *coordinationv1.Lease) error {
	ours := leaseLabels(n.driver, n.group)
	theirs, labelled := lease.Labels[labelGroup]
	switch {
	case !labelled || !isHeld(lease, n.now()):
		return nil
	case theirs != ours[labelGroup]:
		return fmt.Errorf("%w: %s is the name of a driver of group %q, whose sidecar is the leader (%s), and of this one, of group %q; "+
			"rename or remove one of them",
			ErrDriverNameCollision, n.driver.Name(), theirs, *lease.Spec.HolderIdentity, ours[labelGroup])
	case lease.Labels[labelProtocols] != ours[labelProtocols]:
		return fmt.Errorf("driver %s serves %s here, but the driver of the leader (%s) serves %s: "+
			"unless an upgrade is in progress, these are two drivers with the same name, and one must be renamed",
			n.driver.Name(), ours[labelProtocols], *lease.Spec.HolderIdentity, lease.Labels[labelProtocols])
	default:
		return nil
	}
}
