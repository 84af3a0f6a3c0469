package controllers

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apiextensions-apiserver/pkg/apihelpers"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	extensionslisters "k8s.io/apiextensions-apiserver/pkg/client/listers/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/version"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	listers "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/metadata"
	toolscache "k8s.io/client-go/tools/cache"
)

// namespaces empties namespaces that are deleted, and then releases their finalizer.
type namespaces struct {
	client   corev1client.CoreV1Interface
	metadata metadata.Interface
	builtin  []resource
	lister   listers.NamespaceLister
	defined  extensionslisters.CustomResourceDefinitionLister
	queue    queue // of names
}

func newNamespaces(
	shared clients, informer toolscache.SharedIndexInformer, defined extensionslisters.CustomResourceDefinitionLister, m *monitors,
) (*namespaces, error) {
	n := &namespaces{
		client: shared.core, metadata: shared.metadata, builtin: m.builtin,
		lister: listers.NewNamespaceLister(informer.GetIndexer()), defined: defined, queue: newQueue(),
	}
	_, err := informer.AddEventHandler(toolscache.ResourceEventHandlerFuncs{
		AddFunc:    n.enqueue,
		UpdateFunc: func(_, obj any) { n.enqueue(obj) },
	})
	// The changed object may have been the last in its namespace.
	m.handle(func(ch change) {
		if !ch.deleted || ch.object.Namespace == "" {
			return
		}
		if namespace, err := n.lister.Get(ch.object.Namespace); err == nil {
			n.enqueue(namespace)
		}
	})
	return n, err
}

func (n *namespaces) enqueue(obj any) {
	if namespace, ok := obj.(*corev1.Namespace); ok && namespace.DeletionTimestamp != nil {
		n.queue.Add(namespace.Name)
	}
}

func (n *namespaces) process(ctx context.Context, name string) error {
	namespace, err := n.client.Namespaces().Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return ignoreNotFound(err)
	}
	if namespace.DeletionTimestamp == nil || !slices.Contains(namespace.Spec.Finalizers, corev1.FinalizerKubernetes) {
		return nil
	}
	resources, err := n.resources(ctx)
	if err != nil {
		return err
	}
	left := &remaining{objects: map[schema.GroupVersionResource]int{}, finalizers: map[string]int{}}
	for _, of := range ordered(resources) {
		n.empty(ctx, of, name, left)
	}
	if updateConditions(&namespace.Status, left.conditions()) {
		if namespace, err = n.client.Namespaces().UpdateStatus(ctx, namespace, metav1.UpdateOptions{}); err != nil {
			return ignoreNotFound(err)
		}
	}
	if len(left.errs) > 0 || len(left.objects) > 0 {
		return errors.Join(errNotEmpty, errors.Join(left.errs...))
	}
	namespace.Spec.Finalizers = slices.DeleteFunc(namespace.Spec.Finalizers,
		func(f corev1.FinalizerName) bool { return f == corev1.FinalizerKubernetes })
	_, err = n.client.Namespaces().Finalize(ctx, namespace, metav1.UpdateOptions{})
	return ignoreNotFound(err)
}

// errNotEmpty has a namespace looked at again.
var errNotEmpty = errors.New("the namespace is not empty")

// resources returns all resources. It fails until the cache has the definitions of the API server:
// objects of an unknown resource would be lost with their namespace.
func (n *namespaces) resources(ctx context.Context) ([]resource, error) {
	all := slices.Clone(n.builtin)
	live, err := n.metadata.Resource(apiextensionsv1.SchemeGroupVersion.WithResource("customresourcedefinitions")).
		List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	for i := range live.Items {
		cached, err := n.defined.Get(live.Items[i].Name)
		// By the version, since a definition becomes established, and its kind served, within one generation.
		if err != nil || cached.UID != live.Items[i].UID || cached.ResourceVersion != live.Items[i].ResourceVersion {
			return nil, fmt.Errorf("the definition of %s is not known yet", live.Items[i].Name)
		}
		if of, ok := resourceOf(cached); ok && apihelpers.IsCRDConditionTrue(cached, apiextensionsv1.Established) {
			of.Version = preferredVersion(cached)
			all = append(all, of)
		}
	}
	return all, nil
}

// preferredVersion returns the version that discovery prefers, which kube-controller-manager deletes objects by: a
// namespace stays if its objects cannot be converted to it.
func preferredVersion(d *apiextensionsv1.CustomResourceDefinition) string {
	preferred := ""
	for _, v := range d.Spec.Versions {
		if v.Served && version.CompareKubeAwareVersionStrings(v.Name, preferred) > 0 {
			preferred = v.Name
		}
	}
	return preferred
}

// ordered returns the resources in namespaces, Pods first.
func ordered(all []resource) []resource {
	all = slices.DeleteFunc(all, func(of resource) bool { return !of.Namespaced })
	all = append(all, resource{GroupVersionResource: corev1.SchemeGroupVersion.WithResource("events"), Namespaced: true})
	slices.SortFunc(all, func(a, b resource) int {
		isPod := func(r resource) bool { return r.GroupResource() == corev1.Resource("pods") }
		switch {
		case isPod(a):
			return -1
		case isPod(b):
			return 1
		default:
			return strings.Compare(a.String(), b.String())
		}
	})
	return all
}

// empty deletes the objects of a resource, and counts those that stay.
func (n *namespaces) empty(ctx context.Context, of resource, namespace string, left *remaining) {
	objects := n.metadata.Resource(of.GroupVersionResource).Namespace(namespace)
	list, err := objects.List(ctx, metav1.ListOptions{})
	if err == nil && len(list.Items) > 0 {
		background := metav1.DeletePropagationBackground
		if err = objects.DeleteCollection(ctx, metav1.DeleteOptions{PropagationPolicy: &background}, metav1.ListOptions{}); err == nil {
			list, err = objects.List(ctx, metav1.ListOptions{})
		}
	}
	if err != nil { // perhaps it is not served yet
		left.errs = append(left.errs, err)
		return
	}
	if len(list.Items) > 0 {
		left.objects[of.GroupVersionResource] = len(list.Items)
	}
	for i := range list.Items {
		for _, finalizer := range list.Items[i].Finalizers {
			left.finalizers[finalizer]++
		}
	}
}

// remaining counts the objects and finalizers that are left in a namespace.
type remaining struct {
	objects    map[schema.GroupVersionResource]int
	finalizers map[string]int
	errs       []error
}

// conditions returns the conditions of a namespace that is being emptied, as
// kube-controller-manager sets them.
func (r *remaining) conditions() []corev1.NamespaceCondition {
	return []corev1.NamespaceCondition{
		condition(corev1.NamespaceDeletionDiscoveryFailure, "", "", "ResourcesDiscovered", "All resources successfully discovered"),
		condition(corev1.NamespaceDeletionGVParsingFailure, "", "", "ParsedGroupVersions", "All legacy kube types successfully parsed"),
		condition(corev1.NamespaceDeletionContentFailure, "ContentDeletionFailed", r.failures(),
			"ContentDeleted", "All content successfully deleted, may be waiting on finalization"),
		condition(corev1.NamespaceContentRemaining, "SomeResourcesRemain", r.resources(), "ContentRemoved", "All content successfully removed"),
		condition(corev1.NamespaceFinalizersRemaining, "SomeFinalizersRemain", r.waiting(),
			"ContentHasNoFinalizers", "All content-preserving finalizers finished"),
	}
}

// condition returns a true condition for a problem, and otherwise a false one with okReason and
// okMessage.
func condition(kind corev1.NamespaceConditionType, reason, problem, okReason, okMessage string) corev1.NamespaceCondition {
	if problem == "" {
		return corev1.NamespaceCondition{Type: kind, Status: corev1.ConditionFalse, Reason: okReason, Message: okMessage}
	}
	return corev1.NamespaceCondition{Type: kind, Status: corev1.ConditionTrue, Reason: reason, Message: problem}
}

func (r *remaining) failures() string {
	if len(r.errs) == 0 {
		return ""
	}
	var messages []string
	for _, err := range r.errs {
		messages = append(messages, err.Error())
	}
	slices.Sort(messages)
	return fmt.Sprintf("Failed to delete all resource types, %d remaining: %s", len(r.errs), strings.Join(messages, ", "))
}

func (r *remaining) resources() string {
	if len(r.objects) == 0 {
		return ""
	}
	var texts []string
	for of, n := range r.objects {
		texts = append(texts, fmt.Sprintf("%s.%s has %d resource instances", of.Resource, of.Group, n))
	}
	slices.Sort(texts)
	return "Some resources are remaining: " + strings.Join(texts, ", ")
}

func (r *remaining) waiting() string {
	if len(r.finalizers) == 0 {
		return ""
	}
	var texts []string
	for _, finalizer := range slices.Sorted(maps.Keys(r.finalizers)) {
		texts = append(texts, fmt.Sprintf("%s in %d resource instances", finalizer, r.finalizers[finalizer]))
	}
	return "Some content in the namespace has finalizers remaining: " + strings.Join(texts, ", ")
}

// updateConditions reports whether a condition has changed.
func updateConditions(status *corev1.NamespaceStatus, conditions []corev1.NamespaceCondition) bool {
	changed := false
	for _, now := range conditions {
		now.LastTransitionTime = metav1.Now()
		i := slices.IndexFunc(status.Conditions, func(c corev1.NamespaceCondition) bool { return c.Type == now.Type })
		if i < 0 {
			status.Conditions, changed = append(status.Conditions, now), true
			continue
		}
		before := &status.Conditions[i]
		if before.Status == now.Status {
			now.LastTransitionTime = before.LastTransitionTime
		}
		changed = changed || *before != now
		*before = now
	}
	return changed
}
