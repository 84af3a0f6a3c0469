package manager

import (
	"context"

	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/manager"
)

// The manager does not end while it waits for its cache: when the API server does
// not answer, it would wait for ever, at the cost of a whole processor. So a host
// that is to end before its cache has synced ends its runnables itself, and its
// cache says that there is nothing to wait for any more.

// newRunnables returns the context of all runnables, which m.end ends.
func (m *Manager) newRunnables() manager.BaseContextFunc {
	ctx, end := context.WithCancel(context.Background())
	m.stop = end
	return func() context.Context { return ctx }
}

// stopEarly ends the runnables when ctx is done, unless the cache has synced: then
// the manager ends them in good order. The returned function ends the watch.
func (m *Manager) stopEarly(ctx context.Context) (stop func() bool) {
	return context.AfterFunc(ctx, func() {
		select {
		case <-m.synced:
		default:
			m.stop()
		}
	})
}

// stoppableCache is a cache that ceases to be waited for when it is over.
type stoppableCache struct{ cache.Cache }

func newStoppableCache(cfg *rest.Config, options cache.Options) (cache.Cache, error) {
	c, err := cache.New(cfg, options)
	return stoppableCache{c}, err
}

// WaitForCacheSync implements cache.Cache. Who has to know whether the cache has
// synced looks at the context, too.
func (c stoppableCache) WaitForCacheSync(ctx context.Context) bool {
	return c.Cache.WaitForCacheSync(ctx) || ctx.Err() != nil
}

// hasSynced waits until the cache has, and returns false if it will not.
func (m *Manager) hasSynced(ctx context.Context) bool {
	return m.GetCache().WaitForCacheSync(ctx) && ctx.Err() == nil
}
