package scale

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

const (
	// creators is how many objects are created, or deleted, at the same time.
	creators = 16
	// loadTimeout bounds how long objects may take to get where they should be.
	loadTimeout = 10 * time.Minute
)

// batch is some objects in one namespace.
type batch struct {
	namespace string
	count     int
	// claim is the only claim, of all the accesses, or empty for a claim each.
	claim string
	// claimsOnly is set if there are no accesses.
	claimsOnly bool
}

func numbered(i int) string { return "scale-" + strconv.Itoa(i) }

// objects are the objects that a user creates as the i-th of a batch.
func (b batch) objects(i int) []client.Object {
	switch {
	case b.claim != "":
		return []client.Object{NewAccess(b.namespace, numbered(i), b.claim, class)}
	case b.claimsOnly:
		return []client.Object{NewClaim(b.namespace, numbered(i), class)}
	default:
		return []client.Object{NewClaim(b.namespace, numbered(i), class), NewAccess(b.namespace, numbered(i), numbered(i), class)}
	}
}

// list is of the kind whose objects are the last to be ready.
func (b batch) list() client.ObjectList {
	if b.claimsOnly {
		return &v1alpha2.BucketClaimList{}
	}
	return &v1alpha2.BucketAccessList{}
}

// create creates a batch, many objects at a time, and returns when all of them
// are ready.
func (e *environment) create(ctx context.Context, b batch) error {
	return e.await(ctx, b, isReady, func(ctx context.Context) error {
		return concurrently(ctx, creators, b.count, func(ctx context.Context, i int) error {
			for _, object := range b.objects(i) {
				if err := e.admin.Create(ctx, object); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// remove deletes a batch, accesses before claims, and returns when all of it is
// gone.
func (e *environment) remove(ctx context.Context, b batch) error {
	err := e.await(ctx, b, isGone, func(ctx context.Context) error {
		return e.deleteAll(ctx, b, func(objects []client.Object) client.Object { return objects[len(objects)-1] })
	})
	if err != nil || b.claimsOnly || b.claim != "" {
		return err
	}
	b.claimsOnly = true
	return e.remove(ctx, b)
}

func (e *environment) deleteAll(ctx context.Context, b batch, which func([]client.Object) client.Object) error {
	return concurrently(ctx, creators, b.count, func(ctx context.Context, i int) error {
		return e.admin.Delete(ctx, which(b.objects(i)))
	})
}

// await acts on a batch, and returns when all of its objects have reached a
// state by that.
func (e *environment) await(
	ctx context.Context, b batch, reached func(watch.Event) bool, act func(context.Context) error,
) error {
	ctx, cancel := context.WithTimeoutCause(ctx, loadTimeout, fmt.Errorf("the components are not done after %s", loadTimeout))
	defer cancel()
	watcher, err := e.watchFrom(ctx, b.list(), b.namespace)
	if err != nil {
		return err
	}
	defer watcher.Stop()
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return collect(ctx, watcher, b.count, reached) })
	group.Go(func() error { return act(ctx) })
	return group.Wait()
}

// concurrently does something for each of a number of objects, for several of
// them at the same time.
func concurrently(ctx context.Context, workers, count int, do func(context.Context, int) error) error {
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(workers)
	for i := range count {
		if groupCtx.Err() != nil {
			break
		}
		group.Go(func() error { return do(groupCtx, i) })
	}
	return errors.Join(group.Wait(), ctx.Err())
}
