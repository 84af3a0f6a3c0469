package manager

import (
	"context"
	"time"

	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// catchUpTimeout is how long a read waits for the cache to have seen the client's own writes.
// It has seen them after milliseconds, or it will not for as long as its watch is away.
const catchUpTimeout = 2 * time.Second

// newClient returns the client of a component.
func newClient(cfg *rest.Config, options client.Options) (client.Client, error) {
	c, err := client.New(cfg, options)
	if err != nil {
		return nil, err
	}
	return boundedReader{c}, nil
}

// boundedReader reads what the cache has when it does not catch up with what was written.
// It may never do so: when an object that was written to vanishes while a watch is
// away, the cache is told of its end by a new list, without the version of the write,
// and controller-runtime would have everybody wait who asks for it, or lists its kind,
// until something else of that kind changes.
type boundedReader struct{ client.Client }

// Get implements client.Reader.
func (c boundedReader) Get(ctx context.Context, key client.ObjectKey, object client.Object, opts ...client.GetOption) error {
	return withTimeout(ctx, func(ctx context.Context) error {
		return c.Client.Get(ctx, key, object, opts...)
	}, func() error {
		return c.Client.Get(ctx, key, object, append(opts, client.DisableReadYourWritesConsistency)...)
	})
}

// List implements client.Reader.
func (c boundedReader) List(ctx context.Context, list client.ObjectList, opts ...client.ListOption) error {
	return withTimeout(ctx, func(ctx context.Context) error {
		return c.Client.List(ctx, list, opts...)
	}, func() error {
		return c.Client.List(ctx, list, append(opts, client.DisableReadYourWritesConsistency)...)
	})
}

// withTimeout reads, and if that takes too long, it reads without waiting.
func withTimeout(ctx context.Context, patiently func(context.Context) error, at func() error) error {
	within, cancel := context.WithTimeout(ctx, catchUpTimeout)
	defer cancel()
	err := patiently(within)
	if err == nil || within.Err() == nil || ctx.Err() != nil {
		return err
	}
	return at()
}
