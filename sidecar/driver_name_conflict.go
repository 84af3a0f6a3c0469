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

// ErrDriverNameCollision is wrapped by the error that Start returns when the
// sidecar of a different driver with the same name is at work.
var ErrDriverNameCollision = errors.New("different drivers have the same name")

// driverNameConflict watches the Lease for the sidecar of another driver that has the
// same name. Two drivers with one name would be given each other's buckets: the
// first one goes on, and this one ends.
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

// NeedLeaderElection implements manager.LeaderElectionRunnable: it is the standby
// that has to notice.
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

// record writes an Event about the Lease, and not through a recorder, which would
// still have it when the sidecar ends. The name of the Event says what it is
// about, so that a sidecar that is started again and again leaves one only.
func (n *driverNameConflict) record(ctx context.Context, lease *coordinationv1.Lease, collision error) {
	n.logger.Error(collision, "another driver has the same name", "driver", n.driver.Name())
	told := &eventsv1.Event{
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
	if err := client.IgnoreAlreadyExists(n.client.Create(ctx, told)); err != nil {
		n.logger.Error(err, "write an Event", "event", told.Name)
	}
}

// check compares this driver with that of the leader. Another group is another
// driver, which is ErrDriverNameCollision. Other protocols alone may be another
// version of the same driver in the middle of an upgrade.
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
		return fmt.Errorf("driver %s says here that it serves %s, but where it is at work (%s) it serves %s: "+
			"unless it is being upgraded, these are two drivers with one name, and one has to be renamed",
			n.driver.Name(), ours[labelProtocols], *lease.Spec.HolderIdentity, lease.Labels[labelProtocols])
	default:
		return nil
	}
}
