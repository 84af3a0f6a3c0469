package engine

import (
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

type createdObjects struct {
	max     int
	mu      sync.Mutex
	objects []*unstructured.Unstructured
}

// add adds an object, whose kind must be set, before its creation. It returns an error if this
// exceeds the limit.
func (b *createdObjects) add(object client.Object) error {
	named := &unstructured.Unstructured{}
	named.SetGroupVersionKind(object.GetObjectKind().GroupVersionKind())
	named.SetNamespace(object.GetNamespace())
	named.SetName(object.GetName())
	b.mu.Lock()
	defer b.mu.Unlock()
	same := func(other *unstructured.Unstructured) bool {
		return subjectOf(other) == subjectOf(named) && other.GetNamespace() == named.GetNamespace()
	}
	if slices.ContainsFunc(b.objects, same) {
		return nil
	}
	if len(b.objects) >= b.max {
		return limitReached("objects", b.max)
	}
	b.objects = append(b.objects, named)
	return nil
}

func (b *createdObjects) reversed() []*unstructured.Unstructured {
	b.mu.Lock()
	defer b.mu.Unlock()
	all := slices.Clone(b.objects)
	slices.Reverse(all)
	return all
}
