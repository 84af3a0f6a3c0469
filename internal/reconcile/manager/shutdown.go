package manager

import (
	"context"

	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/manager"
)

// controller-runtime's manager does not stop while it waits for its cache. If the API server does
// not answer, it would wait endlessly, and use a whole processor. So a Manager that is stopped
// before its cache has synced stops its runnables itself, and its cache stops waiting.

// newRunnables returns the context of all runnables, which m.stop ends.
func (m *Manager) newRunnables() manager.BaseContextFunc {
	ctx, stop := context.WithCancel(context.Background())
	m.stop = stop
	return func() context.Context { return ctx }
}

// stopEarly stops the runnables when ctx is done, unless the cache has synced: then the manager
// stops them in order. The returned function undoes this.
func (m *Manager) stopEarly(ctx context.Context) (stop func() bool) {
	return context.AfterFunc(ctx, func() {
		select {
		case <-m.synced:
		default:
			m.stop()
		}
	})
}

// stoppableCache is a cache whose WaitForCacheSync returns when its context is done.
type stoppableCache struct{ cache.Cache }

func newStoppableCache(cfg *rest.Config, options cache.Options) (cache.Cache, error) {
	c, err := cache.New(cfg, options)
	return stoppableCache{c}, err
}

// WaitForCacheSync may return before the cache has synced: callers must check the context, too.
func (c stoppableCache) WaitForCacheSync(ctx context.Context) bool {
	return c.Cache.WaitForCacheSync(ctx) || ctx.Err() != nil
}

// hasSynced waits until the cache has synced, and returns false if it never will.
func (m *Manager) hasSynced(ctx context.Context) bool {
	return m.GetCache().WaitForCacheSync(ctx) && ctx.Err() == nil
}
