package instance

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-logr/logr"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"

	"github.com/cosi-emu/cosi-emu/internal/sidecar/connection"
)

// driverNameConflict watches the Lease for another driver with the same name. The sidecar stops
// when the name belongs to another group.
type driverNameConflict struct {
	cache  cache.Cache
	logger logr.Logger
	driver *connection.Conn
	// labels are the labels of the Lease while this sidecar is the leader.
	labels func() map[string]string
	group  *driverGroup
	now    func() time.Time
}

// Start implements manager.Runnable.
func (n *driverNameConflict) Start(ctx context.Context) error {
	leases := make(chan *coordinationv1.Lease)
	pass := func(lease *coordinationv1.Lease) {
		select {
		case leases <- lease:
		case <-ctx.Done():
		}
	}
	passPresent := func(object any) {
		if lease, ok := object.(*coordinationv1.Lease); ok {
			pass(lease)
		}
	}
	informer, err := n.cache.GetInformer(ctx, &coordinationv1.Lease{}, cache.BlockUntilSynced(false))
	if err != nil {
		return err
	}
	added, err := informer.AddEventHandler(toolscache.ResourceEventHandlerFuncs{
		AddFunc:    passPresent,
		UpdateFunc: func(_, is any) { passPresent(is) },
		DeleteFunc: func(any) { pass(&coordinationv1.Lease{}) },
	})
	if err != nil {
		return err
	}
	err = n.checkAll(ctx, leases)
	return errors.Join(err, informer.RemoveEventHandler(added))
}

// NeedLeaderElection implements manager.LeaderElectionRunnable: a standby must notice, too.
func (*driverNameConflict) NeedLeaderElection() bool { return false }

func (n *driverNameConflict) checkAll(ctx context.Context, leases <-chan *coordinationv1.Lease) error {
	warned, served := "", ""
	for {
		select {
		case <-ctx.Done():
			return nil
		case lease := <-leases:
			if err := n.checkGroup(ctx, lease); err != nil {
				return err
			}
			if problem := n.checkProtocols(lease); problem != nil && *lease.Spec.HolderIdentity != warned {
				warned = *lease.Spec.HolderIdentity
				n.logger.Error(problem, "another driver has the same name", "driver", n.driver.Name())
				n.group.events.record(ctx, lease, corev1.EventTypeWarning, problem.Error())
			}
			if problem := n.checkNamespaces(lease); problem != nil && *lease.Spec.HolderIdentity != served {
				served = *lease.Spec.HolderIdentity
				n.logger.Error(problem, "the leader serves other namespaces", "driver", n.driver.Name())
			}
		}
	}
}

// checkGroup checks the record of the group. It restores a record that was deleted with the Lease
// or the label: the name belongs to the running driver.
func (n *driverNameConflict) checkGroup(ctx context.Context, lease *coordinationv1.Lease) error {
	if _, isRecorded := lease.Labels[labelGroup]; !isRecorded {
		err := n.group.claim(ctx)
		if ctx.Err() != nil {
			return nil //nolint:nilerr // the end of the watch is no error
		}
		return err
	}
	collision := n.group.check(lease)
	if collision != nil {
		n.group.report(ctx, lease, collision)
	}
	return collision
}

// checkProtocols compares this driver with the leader's. If they differ, it may be another version
// of the same driver during an upgrade.
func (n *driverNameConflict) checkProtocols(lease *coordinationv1.Lease) error {
	ours, serves := n.labels()[labelProtocols]
	theirs, labelled := lease.Labels[labelProtocols]
	if !serves || !labelled || theirs == ours || !isHeld(lease, n.now()) {
		return nil
	}
	return fmt.Errorf("driver %s serves %s here, but the driver of the leader (%s) serves %s: "+
		"unless an upgrade is in progress, these are two drivers with the same name, and one must be renamed",
		n.driver.Name(), ours, *lease.Spec.HolderIdentity, theirs)
}

// checkNamespaces compares the namespaces of this sidecar with the leader's. If they differ, those that only this sidecar
// serves are not served, unless the leader is replaced soon.
func (n *driverNameConflict) checkNamespaces(lease *coordinationv1.Lease) error {
	ours, theirs := n.labels()[labelNamespaces], lease.Labels[labelNamespaces]
	if theirs == ours || !isHeld(lease, n.now()) {
		return nil
	}
	describe := func(label string) string {
		return cmp.Or(strings.ReplaceAll(label, ".", ", "), "all namespaces")
	}
	return fmt.Errorf("this sidecar of driver %s watches %s, but the leader (%s) watches %s: "+
		"unless an upgrade is in progress, give all sidecars of the driver the same --watch-namespaces",
		n.driver.Name(), describe(ours), *lease.Spec.HolderIdentity, describe(theirs))
}
