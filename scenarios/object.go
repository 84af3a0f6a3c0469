package scenarios

import (
	"fmt"
	"maps"
	"sync"

	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
)

// scheme returns the kinds that can be given as Go types.
var scheme = sync.OnceValue(func() *runtime.Scheme {
	s := runtime.NewScheme()
	utilruntime.Must(clientgoscheme.AddToScheme(s)) // constant
	utilruntime.Must(objectstorage.AddToScheme(s))
	return s
})

// fieldsOf returns the fields of an object to apply: with its kind, and without the status, which
// users do not set.
func fieldsOf(object client.Object) (Fields, error) {
	kind, err := apiutil.GVKForObject(object, scheme())
	if err != nil {
		return nil, fmt.Errorf("unknown kind of %T: use Fields instead: %w", object, err)
	}
	all, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	if err != nil {
		return nil, err
	}
	fields := Fields(maps.Clone(all))
	fields["apiVersion"], fields["kind"] = kind.ToAPIVersionAndKind()
	delete(fields, "status")
	if metadata, ok := all["metadata"].(map[string]any); ok {
		metadata = maps.Clone(metadata)
		delete(metadata, "creationTimestamp")
		fields["metadata"] = metadata
	}
	return fields, nil
}
