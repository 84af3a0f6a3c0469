package manager

import (
	"context"
	"time"

	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// catchUpTimeout limits the wait of a read until the cache has seen the client's own writes. That
// takes milliseconds, or as long as the cache has no watch.
const catchUpTimeout = 2 * time.Second

func newClient(cfg *rest.Config, options client.Options) (client.Client, error) {
	c, err := client.New(cfg, options)
	if err != nil {
		return nil, err
	}
	options.Cache = nil
	live, err := client.New(cfg, options)
	if err != nil {
		return nil, err
	}
	return boundedReader{Client: c, live: live}, nil
}

// boundedReader limits the wait for a cache that does not catch up with a write. It may never catch
// up: if the object is deleted while the watch is interrupted, the cache learns of that from a new
// list, without the version of the write. In controller-runtime, every read of that object, and
// every list of its kind, would then block until another object of that kind changes.
type boundedReader struct {
	client.Client

	live client.Reader
}

// Get reads the object from the API server if the cache does not catch up: the state before its own
// write would make a reconciler repeat its work.
func (c boundedReader) Get(ctx context.Context, key client.ObjectKey, object client.Object, opts ...client.GetOption) error {
	return withTimeout(ctx, func(ctx context.Context) error {
		return c.Client.Get(ctx, key, object, opts...)
	}, func() error {
		return c.live.Get(ctx, key, object, opts...)
	})
}

// List reads a cache that does not catch up as it is, because the API server does not have the
// cache's indexes.
func (c boundedReader) List(ctx context.Context, list client.ObjectList, opts ...client.ListOption) error {
	return withTimeout(ctx, func(ctx context.Context) error {
		return c.Client.List(ctx, list, opts...)
	}, func() error {
		return c.Client.List(ctx, list, append(opts, client.DisableReadYourWritesConsistency)...)
	})
}

// withTimeout reads consistently, or otherwise if that takes longer than the timeout.
func withTimeout(ctx context.Context, consistent func(context.Context) error, otherwise func() error) error {
	within, cancel := context.WithTimeout(ctx, catchUpTimeout)
	defer cancel()
	err := consistent(within)
	if err == nil || within.Err() == nil || ctx.Err() != nil {
		return err
	}
	return otherwise()
}
