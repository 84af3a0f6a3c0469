package bucketaccess

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	cosireconcile "github.com/cosi-emu/cosi-emu/internal/reconcile"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/secretstore"
)

// pointer is a *T that is an object of Kubernetes.
type pointer[T any] interface {
	*T
	client.Object
}

// liveBucket returns a Bucket as the API server has it, or nil.
func (a *attempt) liveBucket(ctx context.Context, name string) (*v1alpha1.Bucket, error) {
	return liveObject[v1alpha1.Bucket](ctx, a, client.ObjectKey{Name: name})
}

// liveObject returns an object as the API server has it, or nil. If the cache has a later version,
// or the only one, the answer may be outdated, and the access is reconciled again: the watch may
// have no further event of the object.
func liveObject[T any, P pointer[T]](ctx context.Context, a *attempt, key client.ObjectKey) (P, error) {
	live, err := objectFrom[T, P](ctx, a.live, key)
	if err != nil {
		return nil, err
	}
	cached, err := objectFrom[T, P](ctx, a.cached, key)
	switch {
	case err != nil:
		return nil, err
	case cached != nil && (live == nil || secretstore.VersionOf(live).Before(secretstore.VersionOf(cached))):
		a.Requeue()
		return nil, cosireconcile.ErrDone
	}
	return live, nil
}

func objectFrom[T any, P pointer[T]](ctx context.Context, from client.Reader, key client.ObjectKey) (P, error) {
	object := P(new(T))
	if err := from.Get(ctx, key, object); err != nil {
		return nil, client.IgnoreNotFound(err)
	}
	return object, nil
}
