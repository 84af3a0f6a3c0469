// Package uniqueid sees to it that no two objects of a driver have the same ID in
// the backend. Were a driver believed that names an ID twice, the end of the one
// object would destroy what the other stands for.
package uniqueid

import (
	"context"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/keymutex"
	"k8s.io/utils/lru"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/internal/sidecar/driver"
)

const (
	// locks is how many IDs can be written at the same time, at most.
	locks = 256
	// remembered is how many IDs the cache may be behind.
	remembered = 1024
)

// Register has the IDs of all objects of a kind. It is safe for concurrent use.
type Register[T client.Object] struct {
	kind    Kind[T]
	objects client.Reader
	// entering is held for the key that is entered.
	entering keymutex.KeyMutex
	// entered has the objects that were entered last, by their keys: the cache may
	// not show yet what was written a moment ago.
	entered *lru.Cache
}

// New returns a register that looks objects up in a cache with the kind's index.
func New[T client.Object](kind Kind[T], objects client.Reader) *Register[T] {
	return &Register[T]{kind: kind, objects: objects, entering: keymutex.NewHashed(locks), entered: lru.New(remembered)}
}

// Enter has the ID written that the driver has named for an object, unless another
// object of the driver has it: then it returns the finding that the answer is
// invalid. Of two objects that are named one ID at the same time, one gets it.
func (r *Register[T]) Enter(ctx context.Context, object T, id string, write func() error) error {
	key := r.kind.key(object, id)
	r.entering.LockKey(key)
	defer func() { _ = r.entering.UnlockKey(key) }() // never fails
	holder, err := r.holder(ctx, key, client.ObjectKeyFromObject(object))
	switch {
	case err != nil:
		return fmt.Errorf("find out whether another %s has the ID %q: %w", r.kind.Noun, id, err)
	case holder != nil:
		return driver.InvalidResponse("the answer to %s is invalid: it is the ID of %s %s, and driver %s must name another for each; "+
			"correct the driver, and it is asked again when it has started",
			r.kind.Method, r.kind.Noun, strings.TrimPrefix(holder.String(), "/"), r.kind.Driver(object))
	}
	r.entered.Add(key, client.ObjectKeyFromObject(object))
	return write()
}

// holder returns the name of another object than one's own that has a key, or nil.
func (r *Register[T]) holder(ctx context.Context, key string, own client.ObjectKey) (*client.ObjectKey, error) {
	holder, err := r.cached(ctx, key, own)
	if holder != nil || err != nil {
		return holder, err
	}
	last, _ := r.entered.Get(key)
	entered, ok := last.(client.ObjectKey)
	if !ok || entered == own {
		return nil, nil //nolint:nilnil // there is none
	}
	other := r.kind.New()
	// This waits until the cache shows what has been written to this one object.
	if err := r.objects.Get(ctx, entered, other); err != nil {
		return nil, client.IgnoreNotFound(err)
	}
	if id := r.kind.ID(other); id == "" || r.kind.key(other, id) != key {
		return nil, nil //nolint:nilnil // it was not written, or has been changed
	}
	return &entered, nil
}

// cached looks into the cache as it is: waiting for all that others are writing
// just now would have every object wait for every other.
func (r *Register[T]) cached(ctx context.Context, key string, own client.ObjectKey) (holder *client.ObjectKey, err error) {
	found := r.kind.NewList()
	err = r.objects.List(ctx, found, client.MatchingFields{index: key},
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
