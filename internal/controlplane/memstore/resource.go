package memstore

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"
	"sync"
	"sync/atomic"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/apiserver/pkg/storage/storagebackend"
	"k8s.io/apiserver/pkg/storage/storagebackend/factory"
	"k8s.io/apiserver/pkg/storage/value"
	"k8s.io/apiserver/pkg/storage/value/encrypt/identity"
	toolscache "k8s.io/client-go/tools/cache"
)

// retryAfterSeconds is the API server's cache's advice to clients that ask for a resource
// version that is not reached yet.
const retryAfterSeconds = 1

// resourceStore is a Store as one resource in one version sees it: with the codec of the
// version, and the keys of the resource. Several may share a resource.
type resourceStore struct {
	store     *Store
	history   *history
	codec     runtime.Codec
	versioner storage.APIObjectVersioner
	// transformer is nil if objects are stored as the codec writes them.
	transformer    value.Transformer
	newFunc        func() runtime.Object
	pathPrefix     string // ends with a slash
	resourcePrefix string
	// opened is the revision at which the resource store was made. The API server's cache
	// knows nothing of the time before it was made.
	opened int64

	sizes     atomic.Bool // whether Stats has sizes
	destroyed atomic.Bool
	watches   sync.WaitGroup
}

var _ storage.Interface = (*resourceStore)(nil)

// Decorate is a generic.StorageDecorator: it returns the storage of a resource, and how to
// end its watches. Those who share the prefix of the configuration and the resource's
// share the objects.
func (s *Store) Decorate(
	config *storagebackend.ConfigForResource, resourcePrefix string, _ func(obj runtime.Object) (string, error),
	newFunc, _ func() runtime.Object, _ storage.AttrFunc, _ storage.IndexerFuncs, _ *toolscache.Indexers,
) (storage.Interface, factory.DestroyFunc, error) {
	r, err := s.resourceStore(config, resourcePrefix, newFunc)
	if err != nil {
		return nil, nil, err
	}
	return r, r.destroy, nil
}

func (s *Store) resourceStore(
	config *storagebackend.ConfigForResource, resourcePrefix string, newFunc func() runtime.Object,
) (*resourceStore, error) {
	if !strings.HasPrefix(resourcePrefix, "/") || resourcePrefix == "/" {
		return nil, fmt.Errorf("storage of %s: resource prefix %q must be a path that starts with a slash",
			config.GroupResource, resourcePrefix)
	}
	r := &resourceStore{
		store: s, codec: config.Codec, transformer: config.Transformer, newFunc: newFunc,
		pathPrefix:     strings.TrimSuffix(path.Join("/", config.Prefix), "/") + "/",
		resourcePrefix: resourcePrefix,
	}
	if r.transformer == identity.NewEncryptCheckTransformer() {
		r.transformer = nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	r.history = s.historyOf(r.pathPrefix + resourcePrefix[1:])
	r.opened = s.revision
	s.open[r] = struct{}{}
	return r, nil
}

// destroy ends the watches and waits for them.
func (r *resourceStore) destroy() {
	r.store.mu.Lock()
	r.destroyed.Store(true)
	delete(r.store.open, r)
	for w := range r.history.watchers {
		if w.resource == r {
			w.cancel()
		}
	}
	r.store.mu.Unlock()
	r.watches.Wait()
}

// Versioner implements storage.Interface.
func (r *resourceStore) Versioner() storage.Versioner {
	return r.versioner
}

// ReadinessCheck implements storage.Interface.
func (r *resourceStore) ReadinessCheck() error {
	return r.store.ReadinessCheck()
}

// GetCurrentResourceVersion implements storage.Interface.
func (r *resourceStore) GetCurrentResourceVersion(context.Context) (uint64, error) {
	return uint64(r.store.Revision()), nil //nolint:gosec // revisions are positive
}

// CompactRevision implements storage.Interface.
func (r *resourceStore) CompactRevision() int64 {
	r.store.mu.RLock()
	defer r.store.mu.RUnlock()
	return r.history.compacted
}

// EnableResourceSizeEstimation implements storage.Interface. The store knows the sizes and
// need not ask for the keys.
func (r *resourceStore) EnableResourceSizeEstimation(keys storage.KeysFunc) error {
	if keys == nil {
		return errors.New("size estimation: the function that returns the keys is nil")
	}
	if r.sizes.Swap(true) {
		return errors.New("size estimation is already enabled")
	}
	return nil
}

// Stats implements storage.Interface.
func (r *resourceStore) Stats(context.Context) (storage.Stats, error) {
	prefix, err := r.prepareKey(r.resourcePrefix, true)
	if err != nil {
		return storage.Stats{}, err
	}
	var stats storage.Stats
	var size int64
	r.store.mu.RLock()
	defer r.store.mu.RUnlock()
	r.store.ascend(newKeyRange(prefix, true, ""), func(rec *record) bool {
		stats.ObjectCount++
		size += int64(len(rec.data))
		return true
	})
	if r.sizes.Load() && stats.ObjectCount > 0 {
		stats.EstimatedAverageObjectSizeBytes = size / stats.ObjectCount
	}
	return stats, nil
}

// prepareKey returns the key of an object or the prefix of several in the store.
func (r *resourceStore) prepareKey(key string, recursive bool) (string, error) {
	key, err := storage.PrepareKey(r.resourcePrefix, key, recursive)
	if err != nil {
		return "", err
	}
	return r.pathPrefix + strings.TrimPrefix(key, "/"), nil
}

// checkMinimum fails if the store has not reached a resource version.
func (r *resourceStore) checkMinimum(minimum string, revision int64) error {
	if minimum == "" {
		return nil
	}
	atLeast, err := r.versioner.ParseResourceVersion(minimum)
	if err != nil {
		return apierrors.NewBadRequest(fmt.Sprintf("invalid resource version: %v", err))
	}
	if current := uint64(revision); atLeast > current { //nolint:gosec // revisions are positive
		return storage.NewTooLargeResourceVersionError(atLeast, current, retryAfterSeconds)
	}
	return nil
}
