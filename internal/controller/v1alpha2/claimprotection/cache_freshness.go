package claimprotection

import (
	"context"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/lru"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/controller/ownership"
)

// maxNamespaces is the number of namespaces that are remembered.
const maxNamespaces = 4096

// cacheFreshness has the namespaces for which the cache of BucketAccesses contains everything that
// an earlier instance of the controller may have handed off.
//
// This instance hands off only accesses from its own cache. So every access that the cache can miss
// is older than the instance. Once the API server has listed a namespace, and the cache has all
// handed-off accesses of the list, the cache misses nothing of that namespace. Without this, the
// deletion of many accesses would list a namespace for each of them.
type cacheFreshness struct {
	namespaces *lru.Cache
}

func (f cacheFreshness) isProven(namespace string) bool {
	_, proven := f.namespaces.Get(namespace)
	return proven
}

// compare compares the cache with the API server's list of a namespace.
func (f cacheFreshness) compare(ctx context.Context, cache client.Reader, namespace string, live []v1alpha2.BucketAccess) error {
	cached := &v1alpha2.BucketAccessList{}
	if err := cache.List(ctx, cached, client.InNamespace(namespace), client.UnsafeDisableDeepCopy); err != nil {
		return fmt.Errorf("list BucketAccesses of namespace %s: %w", namespace, err)
	}
	known := make(map[types.UID]bool, len(cached.Items))
	for i := range cached.Items {
		known[cached.Items[i].UID] = true
	}
	missed := func(a v1alpha2.BucketAccess) bool { return ownership.SidecarOwns(&a) && !known[a.UID] }
	if !slices.ContainsFunc(live, missed) {
		f.namespaces.Add(namespace, nil)
	}
	return nil
}
