package limits

import (
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
)

// Objects records the Kubernetes objects that a scenario creates.
type Objects struct {
	max int

	mu      sync.Mutex
	objects []*unstructured.Unstructured
}

// NewObjects returns an empty record for so many objects.
func NewObjects(limits spec.Limits) *Objects { return &Objects{max: int(limits.Objects)} }

// Add adds an object, whose kind must be set, before its creation. It returns an error if this
// exceeds the limit.
func (o *Objects) Add(object client.Object) error {
	named := &unstructured.Unstructured{}
	named.SetGroupVersionKind(object.GetObjectKind().GroupVersionKind())
	named.SetNamespace(object.GetNamespace())
	named.SetName(object.GetName())
	o.mu.Lock()
	defer o.mu.Unlock()
	same := func(other *unstructured.Unstructured) bool {
		return other.GetKind() == named.GetKind() && other.GetName() == named.GetName() && other.GetNamespace() == named.GetNamespace()
	}
	if slices.ContainsFunc(o.objects, same) {
		return nil
	}
	if len(o.objects) >= o.max {
		return reached("objects", o.max)
	}
	o.objects = append(o.objects, named)
	return nil
}

// Reversed returns the objects, the latest first.
func (o *Objects) Reversed() []*unstructured.Unstructured {
	o.mu.Lock()
	defer o.mu.Unlock()
	all := slices.Clone(o.objects)
	slices.Reverse(all)
	return all
}
