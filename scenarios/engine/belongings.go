package engine

import (
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// belongings are the objects that a scenario has made, in their order.
type belongings struct {
	mu      sync.Mutex
	objects []*unstructured.Unstructured
}

func (b *belongings) add(object *unstructured.Unstructured) {
	named := &unstructured.Unstructured{}
	named.SetGroupVersionKind(object.GroupVersionKind())
	named.SetNamespace(object.GetNamespace())
	named.SetName(object.GetName())
	b.addNamed(named)
}

// addObject adds a typed object, whose kind must be set.
func (b *belongings) addObject(object client.Object) {
	named := &unstructured.Unstructured{}
	named.SetGroupVersionKind(object.GetObjectKind().GroupVersionKind())
	named.SetNamespace(object.GetNamespace())
	named.SetName(object.GetName())
	b.addNamed(named)
}

func (b *belongings) addNamed(named *unstructured.Unstructured) {
	b.mu.Lock()
	defer b.mu.Unlock()
	same := func(other *unstructured.Unstructured) bool { return subjectOf(other) == subjectOf(named) }
	if !slices.ContainsFunc(b.objects, same) {
		b.objects = append(b.objects, named)
	}
}

// backwards returns the objects, the last first.
func (b *belongings) backwards() []*unstructured.Unstructured {
	b.mu.Lock()
	defer b.mu.Unlock()
	all := slices.Clone(b.objects)
	slices.Reverse(all)
	return all
}
