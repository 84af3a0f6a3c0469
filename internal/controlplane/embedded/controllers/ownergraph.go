package controllers

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

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
