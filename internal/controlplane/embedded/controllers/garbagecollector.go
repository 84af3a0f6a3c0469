package controllers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

	corev1 "k8s.io/api/core/v1"
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

// node is an object in the graph of owners and dependents.
type node struct {
	identity
	// virtual is set until the object is seen: only owner references of its dependents name it.
	virtual            bool
	owners             []metav1.OwnerReference
	deleting           bool
	deletingDependents bool // by its finalizer
	orphaning          bool // by its finalizer
}

// identity is where an object is.
type identity struct {
	kind            schema.GroupKind
	namespace, name string
	uid             types.UID
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

// observe has the graph follow a change.
func (c *collector) observe(ch change) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if ch.deleted {
		c.remove(ch.object.UID)
		return
	}
	n := c.nodes[ch.object.UID]
	isNew := n == nil || n.virtual
	if n == nil {
		n = &node{}
		c.nodes[ch.object.UID] = n
	}
	n.virtual = false
	n.identity = identity{schema.GroupKind{Group: ch.of.Group, Kind: ch.of.Kind}, ch.object.Namespace, ch.object.Name, ch.object.UID}
	if isNew {
		for _, dependent := range c.dependents[n.uid] {
			c.checkReference(dependent, n)
		}
	}
	c.setOwners(n, ch.object.OwnerReferences)
	c.transition(n, ch.object)
}

// checkReference looks at a dependent whose reference does not describe the owner, and tells its users.
func (c *collector) checkReference(dependent, owner *node) {
	for _, ref := range dependent.owners {
		if ref.UID != owner.uid || c.identify(ref, dependent.namespace) == owner.identity {
			continue
		}
		c.enqueue(dependent)
		if !owner.virtual && owner.namespace != "" && owner.namespace != dependent.namespace {
			c.reportNamespace(dependent, ref)
		}
	}
}

// reportNamespace records kube-controller-manager's Event about a reference to another namespace.
func (c *collector) reportNamespace(n *node, ref metav1.OwnerReference) {
	of, ok := c.monitors.ofKind(n.kind)
	if !ok {
		return
	}
	object := &corev1.ObjectReference{
		APIVersion: of.GroupVersion().String(), Kind: n.kind.Kind, Namespace: n.namespace, Name: n.name, UID: n.uid,
	}
	c.events.Eventf(object, corev1.EventTypeWarning, "OwnerRefInvalidNamespace",
		"ownerRef [%s/%s, namespace: %s, name: %s, uid: %s] does not exist in namespace %q",
		ref.APIVersion, ref.Kind, n.namespace, ref.Name, ref.UID, n.namespace)
}

// transition notes the start of a deletion.
func (c *collector) transition(n *node, object *metav1.PartialObjectMetadata) {
	n.deleting = object.DeletionTimestamp != nil
	orphaning := n.deleting && slices.Contains(object.Finalizers, metav1.FinalizerOrphanDependents)
	deletingDependents := n.deleting && slices.Contains(object.Finalizers, metav1.FinalizerDeleteDependents)
	if orphaning && !n.orphaning || deletingDependents && !n.deletingDependents {
		c.enqueue(n)
	}
	if deletingDependents && !n.deletingDependents {
		for _, dependent := range c.dependents[n.uid] {
			c.enqueue(dependent)
		}
	}
	n.orphaning, n.deletingDependents = orphaning, deletingDependents
}

// setOwners moves a node in the graph. An owner that is not in the graph is added, and
// looked up.
func (c *collector) setOwners(n *node, owners []metav1.OwnerReference) {
	before := n.owners
	n.owners = owners
	for _, ref := range before {
		if !slices.ContainsFunc(owners, func(r metav1.OwnerReference) bool { return r.UID == ref.UID }) {
			c.removeDependent(ref.UID, n.uid)
		}
		if owner := c.nodes[ref.UID]; owner != nil && owner.deletingDependents {
			c.enqueue(owner) // it may no longer be blocked
		}
	}
	for _, ref := range owners {
		owner, isNew := c.nodes[ref.UID], c.dependents[ref.UID][n.uid] != n
		if c.dependents[ref.UID] == nil {
			c.dependents[ref.UID] = map[types.UID]*node{}
		}
		c.dependents[ref.UID][n.uid] = n
		switch {
		case owner == nil:
			owner = &node{identity: c.identify(ref, n.namespace), virtual: true}
			c.nodes[ref.UID] = owner
			c.enqueue(owner)
		case isNew:
			c.checkReference(n, owner)
			if owner.deletingDependents {
				c.enqueue(n)
			}
		}
	}
}

func (c *collector) removeDependent(owner, dependent types.UID) {
	delete(c.dependents[owner], dependent)
	if len(c.dependents[owner]) == 0 {
		delete(c.dependents, owner)
	}
}

// identify returns the object that a reference in a namespace means.
func (c *collector) identify(ref metav1.OwnerReference, namespace string) identity {
	kind := schema.FromAPIVersionAndKind(ref.APIVersion, ref.Kind).GroupKind()
	if of, ok := c.monitors.ofKind(kind); ok && !of.Namespaced {
		namespace = ""
	}
	return identity{kind, namespace, ref.Name, ref.UID}
}

// remove removes an object that is gone, and looks at those it was connected to.
func (c *collector) remove(uid types.UID) {
	n := c.nodes[uid]
	if n == nil {
		return
	}
	delete(c.nodes, uid)
	for _, ref := range n.owners {
		c.removeDependent(ref.UID, uid)
		if owner := c.nodes[ref.UID]; owner != nil && owner.deletingDependents {
			c.enqueue(owner)
		}
	}
	for _, dependent := range c.dependents[uid] {
		c.enqueue(dependent)
	}
}

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

// snapshot returns copies of an object and its dependents, if the object is known.
func (c *collector) snapshot(uid types.UID) (state node, dependents []node, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.nodes[uid]
	if n == nil {
		return node{}, nil, false
	}
	dependents = make([]node, 0, len(c.dependents[uid]))
	for _, dependent := range c.dependents[uid] {
		dependents = append(dependents, *dependent)
	}
	return *n, dependents, true
}

// errOwnerNamespaced is about an object in no namespace whose reference names an owner in one. The object
// stays for ever, as with kube-controller-manager: nobody can tell which owner is meant.
var errOwnerNamespaced = errors.New("an object in no namespace has an owner in a namespace")

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
