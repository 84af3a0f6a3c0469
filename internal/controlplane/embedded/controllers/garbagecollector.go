package controllers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/tools/record"
)

// collector deletes objects whose owners are gone, and ends the deletions that wait for
// the objects' dependents, or orphan them.
type collector struct {
	client   metadata.Interface
	monitors *monitors
	events   record.EventRecorder
	queue    queue // of UIDs

	mu    sync.Mutex
	nodes map[types.UID]*node
	// dependents are the nodes whose references name an owner, which need not be a node.
	dependents map[types.UID]map[types.UID]*node
}

func newCollector(shared clients, m *monitors, events record.EventRecorder) *collector {
	c := &collector{
		client: shared.metadata, monitors: m, events: events, queue: newQueue(),
		nodes: map[types.UID]*node{}, dependents: map[types.UID]map[types.UID]*node{},
	}
	m.handle(c.observe)
	return c
}

func (c *collector) enqueue(n *node) { c.queue.Add(string(n.uid)) }

// process takes the next step of collection for an object.
func (c *collector) process(ctx context.Context, uid string) error {
	state, dependents, ok := c.snapshot(types.UID(uid))
	if !ok || state.deleting && !state.deletingDependents && !state.orphaning {
		return nil // it is gone, or its finalizers belong to others
	}
	latest, err := c.get(ctx, state.identity)
	switch {
	case apierrors.IsNotFound(err) || err == nil && latest.UID != state.uid:
		c.forget(state.identity)
		return nil
	case errors.Is(err, errOwnerNamespaced):
		return nil
	case err != nil:
		return err
	}
	return c.advance(ctx, &state, latest, dependents)
}

// forget removes an object that does not exist where it was expected, unless it has been seen elsewhere meanwhile.
func (c *collector) forget(at identity) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if n := c.nodes[at.uid]; n != nil && n.identity == at {
		c.remove(at.uid)
	}
}

func (c *collector) advance(ctx context.Context, n *node, latest *metav1.PartialObjectMetadata, dependents []node) error {
	switch {
	case n.orphaning:
		return c.orphan(ctx, n, latest, dependents)
	case n.deletingDependents:
		return c.finishForeground(ctx, n, latest, dependents)
	case n.virtual:
		return errNotSeen
	default:
		return c.collect(ctx, n, latest, dependents)
	}
}

// errOwnerNamespaced means that a cluster-scoped object refers to a namespaced owner. The reference has no namespace,
// so it is ambiguous: kube-controller-manager never deletes such an object.
var errOwnerNamespaced = errors.New("a cluster-scoped object refers to a namespaced owner")

// errNotSeen has an owner looked up again, until its monitor has seen it.
var errNotSeen = errors.New("the object is not seen yet")

// collect deletes an object if its owners are gone.
func (c *collector) collect(ctx context.Context, n *node, latest *metav1.PartialObjectMetadata, dependents []node) error {
	if len(latest.OwnerReferences) == 0 {
		return nil
	}
	solid, dangling, waiting, err := c.classify(ctx, n, latest.OwnerReferences)
	switch {
	case errors.Is(err, errOwnerNamespaced):
		return nil
	case err != nil:
		return err
	case len(solid) > 0 && len(dangling)+len(waiting) == 0:
		return nil
	case len(solid) > 0:
		return c.setReferences(ctx, n, latest, solid)
	case len(waiting) > 0 && len(dependents) > 0:
		return c.collectInForeground(ctx, n, latest, dependents)
	}
	policy := metav1.DeletePropagationBackground
	switch {
	case slices.Contains(latest.Finalizers, metav1.FinalizerOrphanDependents):
		policy = metav1.DeletePropagationOrphan
	case slices.Contains(latest.Finalizers, metav1.FinalizerDeleteDependents):
		policy = metav1.DeletePropagationForeground
	}
	return c.delete(ctx, n, latest, policy)
}

// collectInForeground deletes an object whose owner waits for it, and that has
// dependents. If a dependent waits too, they may wait for each other, so that the owners
// do not wait any more.
func (c *collector) collectInForeground(ctx context.Context, n *node, latest *metav1.PartialObjectMetadata, dependents []node) error {
	if slices.ContainsFunc(dependents, func(d node) bool { return d.deletingDependents }) {
		unblocked := slices.Clone(latest.OwnerReferences)
		for i := range unblocked {
			unblocked[i].BlockOwnerDeletion = new(false)
		}
		if err := c.setReferences(ctx, n, latest, unblocked); err != nil {
			return err
		}
		var err error
		if latest, err = c.get(ctx, n.identity); err != nil {
			return ignoreNotFound(err)
		}
	}
	return c.delete(ctx, n, latest, metav1.DeletePropagationForeground)
}

// classify sorts references by the state of their owner: it stays, is gone, or waits for its
// dependents.
func (c *collector) classify(
	ctx context.Context, n *node, refs []metav1.OwnerReference,
) (solid, dangling, waiting []metav1.OwnerReference, err error) {
	for _, ref := range refs {
		gvk := schema.FromAPIVersionAndKind(ref.APIVersion, ref.Kind)
		if !c.monitors.serves(gvk) {
			return nil, nil, nil, fmt.Errorf("no resource of %s is served", gvk)
		}
		owner, err := c.get(ctx, c.identify(ref, n.namespace))
		switch {
		case apierrors.IsNotFound(err) || err == nil && owner.UID != ref.UID:
			dangling = append(dangling, ref)
		case err != nil:
			return nil, nil, nil, err
		case owner.DeletionTimestamp != nil && slices.Contains(owner.Finalizers, metav1.FinalizerDeleteDependents):
			waiting = append(waiting, ref)
		default:
			solid = append(solid, ref)
		}
	}
	return solid, dangling, waiting, nil
}

// finishForeground ends a deletion in the foreground when no dependent blocks it.
func (c *collector) finishForeground(ctx context.Context, n *node, latest *metav1.PartialObjectMetadata, dependents []node) error {
	blocked := false
	for i := range dependents {
		dependent := &dependents[i]
		if !slices.ContainsFunc(dependent.owners, func(ref metav1.OwnerReference) bool {
			return ref.UID == n.uid && ref.BlockOwnerDeletion != nil && *ref.BlockOwnerDeletion
		}) {
			continue
		}
		blocked = true
		if !dependent.deletingDependents {
			c.enqueue(dependent)
		}
	}
	if blocked {
		return nil
	}
	return c.removeFinalizer(ctx, n, latest, metav1.FinalizerDeleteDependents)
}

// orphan removes the references to an object, and ends its deletion.
func (c *collector) orphan(ctx context.Context, n *node, latest *metav1.PartialObjectMetadata, dependents []node) error {
	for i := range dependents {
		dependent := &dependents[i]
		current, err := c.get(ctx, dependent.identity)
		if err != nil || current.UID != dependent.uid {
			if ignoreNotFound(err) != nil {
				return err
			}
			continue
		}
		kept := slices.DeleteFunc(slices.Clone(current.OwnerReferences), func(ref metav1.OwnerReference) bool { return ref.UID == n.uid })
		if len(kept) == len(current.OwnerReferences) {
			continue
		}
		if err := c.setReferences(ctx, dependent, current, kept); err != nil {
			return err
		}
	}
	return c.removeFinalizer(ctx, n, latest, metav1.FinalizerOrphanDependents)
}

func (c *collector) of(at identity) (metadata.ResourceInterface, error) {
	of, ok := c.monitors.ofKind(at.kind)
	if !ok {
		return nil, fmt.Errorf("no resource of kind %s is served", at.kind)
	}
	if !of.Namespaced {
		return c.client.Resource(of.GroupVersionResource), nil
	}
	if at.namespace == "" {
		return nil, errOwnerNamespaced
	}
	return c.client.Resource(of.GroupVersionResource).Namespace(at.namespace), nil
}

func (c *collector) get(ctx context.Context, at identity) (*metav1.PartialObjectMetadata, error) {
	objects, err := c.of(at)
	if err != nil {
		return nil, err
	}
	return objects.Get(ctx, at.name, metav1.GetOptions{})
}

func (c *collector) delete(
	ctx context.Context, n *node, latest *metav1.PartialObjectMetadata, policy metav1.DeletionPropagation,
) error {
	objects, err := c.of(n.identity)
	if err != nil {
		return err
	}
	return ignoreNotFound(objects.Delete(ctx, n.name, metav1.DeleteOptions{
		Preconditions:     &metav1.Preconditions{UID: &latest.UID, ResourceVersion: &latest.ResourceVersion},
		PropagationPolicy: &policy,
	}))
}

func (c *collector) setReferences(
	ctx context.Context, n *node, latest *metav1.PartialObjectMetadata, refs []metav1.OwnerReference,
) error {
	return c.patch(ctx, n, latest, "ownerReferences", refs, len(refs) == 0)
}

func (c *collector) removeFinalizer(ctx context.Context, n *node, latest *metav1.PartialObjectMetadata, finalizer string) error {
	kept := slices.DeleteFunc(slices.Clone(latest.Finalizers), func(f string) bool { return f == finalizer })
	if len(kept) == len(latest.Finalizers) {
		return nil
	}
	return c.patch(ctx, n, latest, "finalizers", kept, len(kept) == 0)
}

// patch sets a list of the metadata, unless another client has changed the object.
func (c *collector) patch(
	ctx context.Context, n *node, latest *metav1.PartialObjectMetadata, field string, value any, empty bool,
) error {
	objects, err := c.of(n.identity)
	if err != nil {
		return err
	}
	if empty {
		value = nil
	}
	data, err := json.Marshal(map[string]any{"metadata": map[string]any{
		"uid": latest.UID, "resourceVersion": latest.ResourceVersion, field: value,
	}})
	if err != nil {
		return err
	}
	_, err = objects.Patch(ctx, n.name, types.MergePatchType, data, metav1.PatchOptions{})
	return ignoreNotFound(err)
}

func ignoreNotFound(err error) error {
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}
