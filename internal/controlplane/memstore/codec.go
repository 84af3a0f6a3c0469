package memstore

import (
	"context"
	"fmt"
	"reflect"

	"k8s.io/apimachinery/pkg/conversion"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/storage"
)

// keyContext tells a transformer which object it has before it.
type keyContext string

// AuthenticatedData implements value.Context.
func (k keyContext) AuthenticatedData() []byte {
	return []byte(k)
}

// newObject returns an empty object of the resource, or nil if the codec finds out its
// type.
func (r *resourceStore) newObject() runtime.Object {
	if r.newFunc == nil {
		return nil
	}
	return r.newFunc()
}

// decode returns an object at a revision.
func (r *resourceStore) decode(plain []byte, revision int64, into runtime.Object) (runtime.Object, error) {
	obj, _, err := r.codec.Decode(plain, nil, into)
	if err != nil {
		return nil, err
	}
	return obj, r.setRevision(obj, revision)
}

func (r *resourceStore) setRevision(obj runtime.Object, revision int64) error {
	if err := r.versioner.UpdateObject(obj, uint64(revision)); err != nil { //nolint:gosec // revisions are positive
		return fmt.Errorf("set resource version %d on %T: %w", revision, obj, err)
	}
	return nil
}

// plain returns the codec's bytes of a record. If stale, an update must write them even if they are
// unchanged, because the transformer would now store them differently.
func (r *resourceStore) plain(ctx context.Context, rec *record) (data []byte, stale bool, err error) {
	if r.transformer == nil {
		return rec.data, false, nil
	}
	data, stale, err = r.transformer.TransformFromStorage(ctx, rec.data, keyContext(rec.key))
	if err != nil {
		return nil, false, storage.NewInternalError(fmt.Errorf("unable to transform key %q: %w", rec.key, err))
	}
	return data, stale, nil
}

// transformed returns the bytes to store for the codec's bytes.
func (r *resourceStore) transformed(ctx context.Context, key string, plain []byte) ([]byte, error) {
	if r.transformer == nil {
		return plain, nil
	}
	data, err := r.transformer.TransformToStorage(ctx, plain, keyContext(key))
	if err != nil {
		return nil, storage.NewInternalError(err)
	}
	return data, nil
}

// shared returns the object of a record, which others read too: it must not be changed.
func (r *resourceStore) shared(ctx context.Context, rec *record) (runtime.Object, error) {
	if obj := rec.objects.of(r); obj != nil {
		return obj, nil
	}
	plain, _, err := r.plain(ctx, rec)
	if err != nil {
		return nil, err
	}
	return r.keep(rec, plain)
}

// atEvent returns the object of a record of an event, as shared does. For an old event,
// which few will ask for, nothing is kept: a watch that starts long ago would fill the
// memory with the past.
func (r *resourceStore) atEvent(ctx context.Context, e *event, rec *record) (runtime.Object, error) {
	if obj := rec.objects.of(r); obj != nil || !e.old.Load() {
		return r.shared(ctx, rec)
	}
	plain, _, err := r.plain(ctx, rec)
	if err != nil {
		return nil, err
	}
	return r.decode(plain, rec.revision, r.newObject())
}

// keep decodes the object of a record, unless that is done, and keeps it. With a
// transformer nothing is kept, because it may fail or change its mind at any time.
func (r *resourceStore) keep(rec *record, plain []byte) (runtime.Object, error) {
	if obj := rec.objects.of(r); obj != nil {
		return obj, nil
	}
	obj, err := r.decode(plain, rec.revision, r.newObject())
	if err != nil || r.transformer != nil {
		return obj, err
	}
	return rec.objects.keep(r, obj), nil
}

// private returns the object of a record as the caller's own, of the type of v.
func (r *resourceStore) private(rec *record, plain []byte, v reflect.Value) (runtime.Object, error) {
	obj, err := r.keep(rec, plain)
	if err != nil {
		return nil, err
	}
	if reflect.TypeOf(obj) == v.Addr().Type() {
		return obj.DeepCopyObject(), nil
	}
	return r.decode(plain, rec.revision, emptyObject(v))
}

// copyInto sets out to a copy of the object of a record.
func (r *resourceStore) copyInto(out runtime.Object, rec *record, plain []byte) error {
	v, err := conversion.EnforcePtr(out)
	if err != nil {
		return fmt.Errorf("read %s: %w", rec.key, err)
	}
	obj, err := r.private(rec, plain, v)
	if err != nil {
		return err
	}
	v.Set(reflect.ValueOf(obj).Elem())
	return nil
}

// emptyObject returns a new object of the type of v, which keeps its version if it is
// unstructured.
func emptyObject(v reflect.Value) runtime.Object {
	if u, ok := reflect.TypeAssert[runtime.Unstructured](v.Addr()); ok {
		return u.NewEmptyInstance()
	}
	obj, _ := reflect.TypeAssert[runtime.Object](reflect.New(v.Type()))
	return obj
}
