package engine

import (
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// belongings are the objects that a scenario has made, in their order.
type belongings struct {
	most    int // how many there may be
	mu      sync.Mutex
	objects []*unstructured.Unstructured
}

// add adds an object, whose kind must be set, before it is made. It returns an error
// if there are too many then.
func (b *belongings) add(object client.Object) error {
	named := &unstructured.Unstructured{}
	named.SetGroupVersionKind(object.GetObjectKind().GroupVersionKind())
	named.SetNamespace(object.GetNamespace())
	named.SetName(object.GetName())
	b.mu.Lock()
	defer b.mu.Unlock()
	same := func(other *unstructured.Unstructured) bool { return subjectOf(other) == subjectOf(named) }
	if slices.ContainsFunc(b.objects, same) {
		return nil
	}
	if len(b.objects) >= b.most {
		return reached("objects", b.most)
	}
	b.objects = append(b.objects, named)
	return nil
}

// backwards returns the objects, the last first.
func (b *belongings) backwards() []*unstructured.Unstructured {
	b.mu.Lock()
	defer b.mu.Unlock()
	all := slices.Clone(b.objects)
	slices.Reverse(all)
	return all
}
