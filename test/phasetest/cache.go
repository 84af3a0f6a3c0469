package phasetest

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/test/harness"
)

// Client returns the client of the component. It reads from a cache, which has the objects of the
// case when it returns, and writes to the API server. The cache works like the components' caches:
// it has no kinds but the suite's, and waits for the client's own writes.
func (c *Case) Client() client.Client {
	c.Helper()
	c.startCache()
	connected := c.connect(&client.CacheOptions{Reader: c.cache, EnableReadYourWritesConsistency: new(true)})
	if len(c.unreadable) == 0 {
		return connected
	}
	return unreadable{Client: connected, kinds: c.unreadable}
}

// errUnreadable is the error of a cache that cannot be read, which is none of the API
// server's.
var errUnreadable = errors.New("unreadable")

// unreadable is a client whose cache cannot read some kinds.
type unreadable struct {
	client.Client

	kinds []runtime.Object
}

// Get implements client.Reader.
func (u unreadable) Get(ctx context.Context, key client.ObjectKey, object client.Object, opts ...client.GetOption) error {
	if isAmong(object, u.kinds) {
		return errUnreadable
	}
	return u.Client.Get(ctx, key, object, opts...)
}

// List implements client.Reader.
func (u unreadable) List(ctx context.Context, list client.ObjectList, opts ...client.ListOption) error {
	if isAmong(list, u.kinds) {
		return errUnreadable
	}
	return u.Client.List(ctx, list, opts...)
}

// Live returns a client of the component that reads from the API server.
func (c *Case) Live() client.Client {
	c.Helper()
	return c.connect(nil)
}

// connect returns a client whose requests are recorded.
func (c *Case) connect(cached *client.CacheOptions) client.Client {
	c.Helper()
	cfg := rest.CopyConfig(c.suite.config)
	cfg.Wrap(c.requests.Wrap)
	connected, err := client.New(cfg, client.Options{Scheme: c.Scheme(), Mapper: c.suite.mapper, Cache: cached})
	c.Must(err)
	return connected
}

// startCache starts the cache, and waits until it has all objects that exist by now. It
// ends with the test.
func (c *Case) startCache() {
	c.Helper()
	if c.cache != nil {
		return
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(c.Context()))
	made, informers, err := c.newCache(ctx)
	if err != nil {
		stop()
		c.Fatalf("make the cache of the case: %v", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- made.Start(ctx) }()
	c.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			c.Errorf("the cache ended with: %v", err)
		}
	})
	c.cache = made
	c.waitSynced(informers)
}

// pollInterval is shorter than the interval of WaitForCacheSync, which is longer than a case.
const pollInterval = time.Millisecond

func (c *Case) waitSynced(informers []cache.Informer) {
	c.Helper()
	lacks := func(i cache.Informer) bool { return !i.HasSynced() }
	err := wait.PollUntilContextTimeout(c.Context(), pollInterval, harness.Timeout, true, func(context.Context) (bool, error) {
		return !slices.ContainsFunc(informers, lacks), nil
	})
	if err != nil {
		c.Fatalf("the cache of the case has not synced: %v", err)
	}
}

func (c *Case) newCache(ctx context.Context) (made cache.Cache, informers []cache.Informer, err error) {
	cfg := rest.CopyConfig(c.suite.config)
	cfg.Wrap(c.watches.Wrap)
	made, err = cache.New(cfg, cache.Options{
		Scheme: c.Scheme(), Mapper: c.suite.mapper,
		DefaultNamespaces: map[string]cache.Config{c.Namespace: {}},
		SyncPeriod:        new(time.Duration(0)),
		DefaultTransform:  cache.TransformStripManagedFields(), ReaderFailOnMissingInformer: true,
	})
	if err != nil {
		return nil, nil, err
	}
	for _, kind := range c.suite.Kinds {
		informer, err := made.GetInformer(ctx, kind, cache.BlockUntilSynced(false))
		if err != nil {
			return nil, nil, err
		}
		informers = append(informers, informer)
	}
	if c.suite.Index != nil {
		err = c.suite.Index(ctx, made)
	}
	return made, informers, err
}

// waitCached waits until the cache has the objects of the case in their latest versions, but for the
// objects of some kinds.
func (c *Case) waitCached(except []client.Object) {
	c.Helper()
	for _, object := range c.objects {
		if kind := c.kindOf(object); kind != nil && !isAmong(kind, except) {
			c.Must(c.Refresh(object))
			c.Eventually(func() error { return c.checkCached(object, kind) })
		}
	}
}

// kindOf returns the kind of the suite that an object is of, perhaps its metadata only, or nil.
func (c *Case) kindOf(object client.Object) client.Object {
	c.Helper()
	wanted, err := c.GroupVersionKindFor(object)
	c.Must(err)
	for _, kind := range c.suite.Kinds {
		if gvk, err := c.GroupVersionKindFor(kind); err == nil && gvk == wanted {
			return kind
		}
	}
	return nil
}

// isAmong reports whether an object is of one of the kinds.
func isAmong[K runtime.Object](object runtime.Object, kinds []K) bool {
	return slices.ContainsFunc(kinds, func(kind K) bool { return reflect.TypeOf(kind) == reflect.TypeOf(object) })
}

func (c *Case) checkCached(object, kind client.Object) error {
	cached, ok := kind.DeepCopyObject().(client.Object)
	if !ok {
		return fmt.Errorf("%T is no object", kind)
	}
	err := c.cache.Get(c.Context(), client.ObjectKeyFromObject(object), cached)
	if err == nil && cached.GetResourceVersion() != object.GetResourceVersion() {
		err = fmt.Errorf("the cache has %s of version %s, want %s", object.GetName(), cached.GetResourceVersion(), object.GetResourceVersion())
	}
	return err
}

// resource returns the resource of a kind, such as "buckets".
func (c *Case) resource(kind client.Object) string {
	c.Helper()
	gvk, err := c.GroupVersionKindFor(kind)
	c.Must(err)
	mapping, err := c.suite.mapper.RESTMapping(gvk.GroupKind(), gvk.Version)
	c.Must(err)
	return mapping.Resource.Resource
}
