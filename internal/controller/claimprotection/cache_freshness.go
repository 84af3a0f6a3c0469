package claimprotection

import (
	"context"
	"fmt"
	"sync"

	"k8s.io/apimachinery/pkg/util/resourceversion"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

// cacheFreshness tells whether the cache of BucketAccesses has everything that an
// earlier instance of the controller may have handed off.
//
// This instance hands off only what is in its own cache, so any change that the cache
// can miss is older than the first use of cacheFreshness. A cache receives changes in
// order: once it has shown a later one, it has all the earlier ones. Without this,
// the deletion of many accesses would list a namespace for each of them.
type cacheFreshness struct {
	live client.Reader

	mu      sync.Mutex
	version string
}

// provenBy reports whether a BucketAccess with that resource version, read from
// the cache, proves that the cache is recent enough.
func (f *cacheFreshness) provenBy(ctx context.Context, seen string) (bool, error) {
	if seen == "" {
		return false, nil
	}
	version, err := f.baseline(ctx)
	if err != nil {
		return false, err
	}
	order, err := resourceversion.CompareResourceVersion(seen, version)
	if err != nil {
		// Versions that cannot be compared prove nothing.
		return false, nil //nolint:nilerr // the caller then asks the API server
	}
	return order > 0, nil
}

// baseline returns the version of the store at the first call that succeeded.
func (f *cacheFreshness) baseline(ctx context.Context) (string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.version != "" {
		return f.version, nil
	}
	list := &v1alpha2.BucketAccessList{}
	if err := f.live.List(ctx, list, client.Limit(1)); err != nil {
		return "", fmt.Errorf("list BucketAccesses: %w", err)
	}
	f.version = list.ResourceVersion
	return f.version, nil
}
