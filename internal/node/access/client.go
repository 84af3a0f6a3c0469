package access

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
)

// kind is the kind that this package is about.
const kind = "BucketAccess"

// newClient returns a client that makes no request for discovery, because each Pod has a client of its own.
func newClient(cfg *rest.Config, version objectstorage.Version) (client.WithWatch, error) {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, objectstorage.AddToScheme} {
		if err := add(scheme); err != nil {
			return nil, err
		}
	}
	mapper := meta.NewDefaultRESTMapper(nil)
	mapper.Add(version.GroupVersion().WithKind(kind), meta.RESTScopeNamespace)
	for _, name := range []string{"Pod", "Secret"} {
		mapper.Add(corev1.SchemeGroupVersion.WithKind(name), meta.RESTScopeNamespace)
	}
	c, err := client.NewWithWatch(cfg, client.Options{Scheme: scheme, Mapper: mapper})
	if err != nil {
		return nil, fmt.Errorf("connect to the API server: %w", err)
	}
	return c, nil
}
