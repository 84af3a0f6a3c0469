package session

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/emulator"
)

// DefaultClass is the name of classes that manifests use and do not always create.
const DefaultClass = "default"

// CopyOfAnnotation names the original of a copied class.
const CopyOfAnnotation = "cosi-emu/copy-of"

// classReferences are the kinds that refer to classes, each with the field and the kind of its class.
var classReferences = []struct{ kind, field, class string }{
	{"BucketClaim", "bucketClassName", "BucketClass"},
	{"BucketAccess", "bucketAccessClassName", "BucketAccessClass"},
}

// followDefaultClasses copies the class standard as the class default once an object refers to
// that, unless it exists. It does not exist from the start, because a class is immutable: users who
// apply a class of that name with other contents would get an error.
func (s *Session) followDefaultClasses(ctx context.Context) {
	version := s.emulator.Info().API.GroupVersion()
	for _, reference := range classReferences {
		see := func(object *unstructured.Unstructured) {
			name, _, _ := unstructured.NestedString(object.Object, "spec", reference.field)
			if name == DefaultClass {
				_ = copyClass(ctx, s.emulator.Client(), version.WithKind(reference.class)) // the object reports a missing class
			}
		}
		s.follow(ctx, version.WithKind(reference.kind), seer{add: see})
	}
}

// copyClass creates the class default, unless it exists.
func copyClass(ctx context.Context, c client.Client, kind schema.GroupVersionKind) error {
	class := &unstructured.Unstructured{}
	class.SetGroupVersionKind(kind)
	if err := c.Get(ctx, client.ObjectKey{Name: emulator.ClassStandard}, class); err != nil {
		return err
	}
	class.Object["metadata"] = map[string]any{}
	class.SetName(DefaultClass)
	class.SetAnnotations(map[string]string{CopyOfAnnotation: emulator.ClassStandard})
	return c.Create(ctx, class)
}
