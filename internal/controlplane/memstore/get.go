package memstore

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/storage"
)

// Get implements storage.Interface.
func (r *resourceStore) Get(ctx context.Context, key string, opts storage.GetOptions, out runtime.Object) error {
	key, err := r.prepareKey(key, false)
	if err != nil {
		return err
	}
	rec, revision := r.store.get(key)
	if err := r.checkMinimum(opts.ResourceVersion, revision); err != nil {
		return err
	}
	if rec == nil {
		if opts.IgnoreNotFound {
			return runtime.SetZeroValue(out)
		}
		return storage.NewKeyNotFoundError(key, 0)
	}
	plain, _, err := r.plain(ctx, rec)
	if err != nil {
		return err
	}
	return r.copyInto(out, rec, plain)
}
