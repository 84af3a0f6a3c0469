package uniqueid

import (
	"context"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"

	cosireconcile "github.com/cosi-emu/cosi-emu/internal/reconcile"
)

// Index describes how the cache finds objects of type T by their IDs in the backend.
type Index[T client.Object] struct {
	// Kind is the kind of the objects, such as Bucket.
	Kind string
	// Method is the call by which a driver generates their IDs.
	Method  string
	New     func() T
	NewList func() client.ObjectList
	Driver  func(T) string
	// ID returns the ID of an object in the backend; empty if the backend has nothing of it.
	ID func(T) string
	// StatusID returns the field of the status that persists the ID.
	StatusID func(T) *string
}

const indexName = "cosi.by-id"

// AddTo adds the index to a cache that has not been started.
func (i Index[T]) AddTo(ctx context.Context, indexer client.FieldIndexer) error {
	err := indexer.IndexField(ctx, i.New(), indexName, cosireconcile.IndexBy(func(object T) []string {
		if id := i.ID(object); id != "" {
			return []string{i.key(object, id)}
		}
		return nil
	}))
	if err != nil {
		return fmt.Errorf("index %s of %s: %w", indexName, i.Kind, err)
	}
	return nil
}

// key returns the key of an object in the index. Another driver may use the same ID.
func (i Index[T]) key(object T, id string) string { return i.Driver(object) + "/" + id }
