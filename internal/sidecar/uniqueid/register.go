// Package uniqueid persists the IDs that a driver generates, and ensures that no two objects of the
// driver have the same ID in the backend. Otherwise the deletion of one object would destroy the
// bucket or account of the other.
package uniqueid

import (
	"context"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/keymutex"
	"k8s.io/utils/lru"
	"sigs.k8s.io/controller-runtime/pkg/client"

	cosireconcile "github.com/cosi-emu/cosi-emu/internal/reconcile"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/connection"
)

const (
	// maxLocks is the number of IDs that can be written at the same time.
	maxLocks = 256
	// maxRecent is the number of IDs by which the cache may be behind.
	maxRecent = 1024
)

// Register has the IDs of all objects of type T. It is safe for concurrent use.
type Register[T client.Object] struct {
	index   Index[T]
	objects client.Reader
	live    client.Reader
	// locks are held for a key while it is written.
	locks keymutex.KeyMutex
	// recent has the names of recently written objects, by their keys, which the cache may not show
	// yet.
	recent *lru.Cache
}

// New returns a register that finds objects in a cache that has the index. The other reader reads from the API server.
func New[T client.Object](index Index[T], objects, live client.Reader) *Register[T] {
	return &Register[T]{index: index, objects: objects, live: live, locks: keymutex.NewHashed(maxLocks), recent: lru.New(maxRecent)}
}

// Save persists the ID that the driver has generated before it creates the bucket or account. If
// another object of the driver has the ID, or if the API server rejects it, the driver's answer is
// invalid. Of two objects with one ID at the same time, one gets it.
func (r *Register[T]) Save(ctx context.Context, p *cosireconcile.Patcher[T], id string) error {
	key, own := r.index.key(p.Object, id), client.ObjectKeyFromObject(p.Object)
	r.locks.LockKey(key)
	defer func() { _ = r.locks.UnlockKey(key) }() // never fails
	holder, err := r.otherHolder(ctx, key, own)
	switch {
	case err != nil:
		return fmt.Errorf("find another %s with the ID %q: %w", r.index.Kind, id, err)
	case holder != nil:
		return connection.InvalidResponse("the answer to %s is invalid: it is the ID of %s %s, and driver %s must name a different ID for each; "+
			"correct the driver and restart it",
			r.index.Method, r.index.Kind, strings.TrimPrefix(holder.String(), "/"), r.index.Driver(p.Object))
	}
	r.recent.Add(key, own)
	return r.write(ctx, p, id)
}

func (r *Register[T]) write(ctx context.Context, p *cosireconcile.Patcher[T], id string) error {
	field := r.index.StatusID(p.Object)
	*field = id
	p.Status().Conclude(nil)
	err := p.SaveStatus(ctx)
	if apierrors.IsInvalid(err) {
		*field = ""
		return connection.InvalidResponse("the API server does not accept the ID %q", id)
	}
	return err
}

// Holder returns the name of another object of the same driver that has an ID, or nil.
func (r *Register[T]) Holder(ctx context.Context, object T, id string) (*client.ObjectKey, error) {
	return r.otherHolder(ctx, r.index.key(object, id), client.ObjectKeyFromObject(object))
}

// otherHolder returns the name of another object that has a key, or nil.
func (r *Register[T]) otherHolder(ctx context.Context, key string, own client.ObjectKey) (*client.ObjectKey, error) {
	holder, err := r.cached(ctx, key, own)
	if holder != nil || err != nil {
		return holder, err
	}
	last, _ := r.recent.Get(key)
	recent, ok := last.(client.ObjectKey)
	if !ok || recent == own {
		return nil, nil
	}
	other := r.index.New()
	// The cache of several namespaces does not wait for the latest write to this one object.
	if err := r.live.Get(ctx, recent, other); err != nil {
		return nil, client.IgnoreNotFound(err)
	}
	if id := r.index.ID(other); id == "" || r.index.key(other, id) != key {
		return nil, nil
	}
	return &recent, nil
}

// cached reads the cache as it is. If it waited for all pending writes, every object would wait for
// every other.
func (r *Register[T]) cached(ctx context.Context, key string, own client.ObjectKey) (holder *client.ObjectKey, err error) {
	found := r.index.NewList()
	err = r.objects.List(ctx, found, client.MatchingFields{indexName: key},
		client.UnsafeDisableDeepCopy, client.DisableReadYourWritesConsistency)
	if err != nil {
		return nil, err
	}
	return holder, meta.EachListItem(found, func(item runtime.Object) error {
		other, err := meta.Accessor(item)
		if err != nil {
			return err
		}
		if name := (client.ObjectKey{Namespace: other.GetNamespace(), Name: other.GetName()}); name != own {
			holder = &name
		}
		return nil
	})
}
