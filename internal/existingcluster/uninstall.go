package existingcluster

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"
	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/crds"
	"github.com/cosi-emu/cosi-emu/deploy"
	"github.com/cosi-emu/cosi-emu/internal/counted"
)

const goneInterval = 100 * time.Millisecond

// Uninstall deletes the owner's objects from the cluster, and waits for that. All components must
// have stopped. It keeps objects that others need: COSI kinds with objects, and the namespace if it
// is not empty. It returns the Leftovers.
func (c *Cluster) Uninstall(ctx context.Context, driver string) (left []string, err error) {
	var errs []error
	for _, kind := range classKinds {
		errs = append(errs, c.remove(ctx, kind))
	}
	errs = append(errs, c.removeLeases(ctx))
	for _, kind := range rightKinds {
		errs = append(errs, c.remove(ctx, kind))
	}
	errs = append(errs, c.removeDefinitions(ctx), c.removeNamespace(ctx))
	left, err = c.Leftovers(ctx, driver)
	if err := errors.Join(append(errs, err)...); err != nil {
		return left, fmt.Errorf("leave the cluster of context %q: %w; the remaining objects have the label %s=%s",
			c.context, err, LabelOwner, c.owner)
	}
	return left, nil
}

// removeLeases deletes the Leases that the owner has prepared, unless they have another holder now.
func (c *Cluster) removeLeases(ctx context.Context) error {
	objects, err := c.own(ctx, leaseKind)
	if err != nil {
		return err
	}
	group, ctx := errgroup.WithContext(ctx) // each may have to expire first
	for i := range objects {
		group.Go(func() error { return c.removeLease(ctx, client.ObjectKeyFromObject(&objects[i])) })
	}
	return group.Wait()
}

func (c *Cluster) removeLease(ctx context.Context, key client.ObjectKey) error {
	lease := &coordinationv1.Lease{}
	if err := c.client.Get(ctx, key, lease); err != nil {
		return client.IgnoreNotFound(err)
	}
	if err := c.checkLease(ctx, lease); errors.Is(err, ErrBusy) {
		return nil
	} else if err != nil {
		return err
	}
	err := c.client.Delete(ctx, lease, client.Preconditions{UID: &lease.UID, ResourceVersion: &lease.ResourceVersion})
	if apierrors.IsNotFound(err) || apierrors.IsConflict(err) { // another holder has taken it
		return nil
	}
	return err
}

// removeDefinitions deletes the owner's definitions of COSI kinds without objects.
func (c *Cluster) removeDefinitions(ctx context.Context) error {
	own, err := c.own(ctx, definitionKind)
	if err != nil || len(own) == 0 {
		return err
	}
	if used, err := c.usedKinds(ctx); err != nil || len(used) > 0 {
		return err
	}
	if err := c.remove(ctx, definitionKind); err != nil {
		return err
	}
	return c.waitGone(ctx, definitionKind)
}

// usedKinds returns the COSI kinds with objects.
func (c *Cluster) usedKinds(ctx context.Context) ([]string, error) {
	definitions, err := crds.All()
	if err != nil {
		return nil, err
	}
	var used []string
	for _, definition := range definitions {
		kind := schema.GroupVersionKind{
			Group: definition.Spec.Group, Version: definition.Spec.Versions[0].Name, Kind: definition.Spec.Names.ListKind,
		}
		list := &metav1.PartialObjectMetadataList{}
		list.SetGroupVersionKind(kind)
		if err := c.client.List(ctx, list, client.Limit(1)); isNoKind(err) {
			continue
		} else if err != nil {
			return nil, fmt.Errorf("look for objects of kind %s: %w", definition.Spec.Names.Kind, err)
		}
		if len(list.Items) > 0 {
			used = append(used, definition.Spec.Names.Plural)
		}
	}
	return used, nil
}

// removeNamespace deletes the namespace of the components, if the owner has created it
// and it is empty.
func (c *Cluster) removeNamespace(ctx context.Context) error {
	own, err := c.own(ctx, namespaceKind)
	if err != nil || len(own) == 0 {
		return err
	}
	if content, err := c.content(ctx, deploy.Namespace); err != nil || content != "" {
		return err
	}
	if err := c.remove(ctx, namespaceKind); err != nil {
		return err
	}
	return c.waitGone(ctx, namespaceKind)
}

// waitGone waits until no object of a kind has the owner's label.
func (c *Cluster) waitGone(ctx context.Context, kind schema.GroupVersionKind) error {
	var own []metav1.PartialObjectMetadata
	err := wait.PollUntilContextCancel(ctx, goneInterval, true, func(ctx context.Context) (gone bool, err error) {
		own, err = c.own(ctx, kind)
		return len(own) == 0, err
	})
	if err != nil {
		return fmt.Errorf("wait for the deletion of %s of kind %s: %w", counted.Of(len(own), "object"), kind.Kind, err)
	}
	return nil
}
