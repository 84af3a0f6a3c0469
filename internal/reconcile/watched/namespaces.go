// Package watched selects the namespaces whose objects a component serves. A component that does not
// serve all namespaces does not see the objects of the others, and never takes one for gone.
package watched

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Namespaces are the namespaces that a component serves. The zero value is all namespaces of the cluster.
type Namespaces struct {
	names []string // sorted; nil for all
}

// New returns the namespaces with the names, which Validate accepts, or all namespaces without a name.
func New(names []string) Namespaces {
	if len(names) == 0 {
		return Namespaces{}
	}
	names = slices.Clone(names)
	slices.Sort(names)
	return Namespaces{names: names}
}

// Validate returns all errors of the names.
func Validate(names []string) error {
	var errs []error
	known := make(map[string]bool, len(names))
	for _, name := range names {
		switch problems := validation.IsDNS1123Label(name); {
		case len(problems) > 0:
			errs = append(errs, fmt.Errorf("the watched namespace %q is invalid: %s", name, strings.Join(problems, "; ")))
		case known[name]:
			errs = append(errs, fmt.Errorf("the watched namespace %q is listed twice: list it once", name))
		}
		known[name] = true
	}
	return errors.Join(errs...)
}

// All reports whether all namespaces are served.
func (n Namespaces) All() bool { return n.names == nil }

// Has reports whether a namespace is served.
func (n Namespaces) Has(namespace string) bool {
	if n.All() {
		return true
	}
	_, found := slices.BinarySearch(n.names, namespace)
	return found
}

// HasClaim reports whether the BucketClaim that a Bucket of v1alpha1 refers to is in a served namespace. A Bucket
// without a claim is served, too: no other component could serve it.
func (n Namespaces) HasClaim(reference *corev1.ObjectReference) bool {
	return reference == nil || reference.Namespace == "" || n.Has(reference.Namespace)
}

// Names returns the sorted names of the namespaces, or nil for all.
func (n Namespaces) Names() []string { return slices.Clone(n.names) }

// String returns the names for messages.
func (n Namespaces) String() string {
	if n.All() {
		return "all namespaces"
	}
	return strings.Join(n.names, ", ")
}

// Limit makes a cache watch namespaced objects in the served namespaces only. Cluster-scoped objects, and kinds
// whose namespaces the options set, stay as they are.
func (n Namespaces) Limit(options *cache.Options) {
	if n.All() {
		return
	}
	options.DefaultNamespaces = make(map[string]cache.Config, len(n.names))
	for _, name := range n.names {
		options.DefaultNamespaces[name] = cache.Config{}
	}
}

// Lists returns the options of the list requests that find all objects of the served namespaces: one request for
// each namespace, because the component may not list others.
func (n Namespaces) Lists() []client.InNamespace {
	if n.All() {
		return []client.InNamespace{""}
	}
	lists := make([]client.InNamespace, 0, len(n.names))
	for _, name := range n.names {
		lists = append(lists, client.InNamespace(name))
	}
	return lists
}
