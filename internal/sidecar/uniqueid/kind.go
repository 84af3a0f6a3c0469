package uniqueid

import (
	"context"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Kind says which objects a register has, and how it knows them. T is the type of
// the objects.
type Kind[T client.Object] struct {
	// Noun is the kind of the objects, such as Bucket.
	Noun string
	// Method is the call by which a driver names their IDs.
	Method string
	// New returns an empty object, and NewList an empty list.
	New     func() T
	NewList func() client.ObjectList
	// Driver is the name of the driver that an object is of.
	Driver func(T) string
	// ID is what the backend knows an object by; empty if there is nothing, or
	// nothing any more.
	ID func(T) string
}

// index is the name of the index by which the cache finds objects by their keys.
const index = "cosi.by-id"

// Index adds the index that a register of the kind needs to a cache that has not
// been started.
func (k Kind[T]) Index(ctx context.Context, indexer client.FieldIndexer) error {
	err := indexer.IndexField(ctx, k.New(), index, func(object client.Object) []string {
		if typed, ok := object.(T); ok && k.ID(typed) != "" {
			return []string{k.key(typed, k.ID(typed))}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("index %s of %s: %w", index, k.Noun, err)
	}
	return nil
}

// key is what an object is found by. The same ID may mean something else to
// another driver.
func (k Kind[T]) key(object T, id string) string { return k.Driver(object) + "/" + id }
