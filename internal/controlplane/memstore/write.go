package memstore

import (
	"bytes"
	"context"
	"fmt"
	"reflect"

	"k8s.io/apimachinery/pkg/conversion"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/features"
	"k8s.io/apiserver/pkg/storage"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
)

// Create implements storage.Interface.
func (r *resourceStore) Create(ctx context.Context, key string, obj, out runtime.Object, ttl uint64) error {
	key, err := r.prepareKey(key, false)
	if err != nil {
		return err
	}
	if version, err := r.versioner.ObjectResourceVersion(obj); err == nil && version != 0 {
		return storage.ErrResourceVersionSetOnCreate
	}
	plain, err := r.encode(obj)
	if err != nil {
		return err
	}
	rec, err := r.put(ctx, write{key: key, ttl: ttl}, plain)
	if err != nil {
		return err
	}
	if rec == nil {
		return storage.NewKeyExistsError(key, 0)
	}
	if out == nil {
		return nil
	}
	return r.copyInto(out, rec, plain)
}

// encode returns an object as it is stored, without its resource version.
func (r *resourceStore) encode(obj runtime.Object) ([]byte, error) {
	if err := r.versioner.PrepareObjectForStorage(obj); err != nil {
		return nil, fmt.Errorf("prepare %T for storage: %w", obj, err)
	}
	return runtime.Encode(r.codec, obj)
}

// write is where and how an object is stored.
type write struct {
	key      string
	expected *record // nil: the key has none
	ttl      uint64  // in seconds; 0: the object stays
	update   bool    // not a create
}

// put stores the codec's bytes, and returns the record, or nil if the key has another record
// than the expected one. It decodes the object before it stores it, so that watchers find it
// decoded.
func (r *resourceStore) put(ctx context.Context, w write, plain []byte) (*record, error) {
	data, err := r.transformed(ctx, w.key, plain)
	if err != nil {
		return nil, err
	}
	if err := checkSize(w, data); err != nil {
		return nil, err
	}
	obj, err := r.decode(plain, 0, r.newObject())
	if err != nil {
		return nil, err
	}
	rec := &record{key: w.key, data: data}
	ok, err := r.store.put(r.history, rec, w.expected, w.ttl, func(revision int64) error {
		rec.revision = revision
		if err := r.setRevision(obj, revision); err != nil {
			return err
		}
		if r.transformer == nil {
			rec.objects.keep(r, obj)
		}
		return nil
	})
	if err != nil || !ok {
		return nil, err
	}
	return rec, nil
}

// state is an object that is about to be updated or deleted.
type state struct {
	rec   *record        // nil if there is none
	obj   runtime.Object // nil if it cannot be read
	plain []byte
	stale bool
}

func (s *state) meta() storage.ResponseMeta {
	if s.rec == nil {
		return storage.ResponseMeta{}
	}
	return storage.ResponseMeta{ResourceVersion: uint64(s.rec.revision)} //nolint:gosec // revisions are positive
}

// state reads the object under a key, as a copy of the type of v.
func (r *resourceStore) state(ctx context.Context, key string, v reflect.Value, ignoreNotFound bool) (*state, error) {
	rec, _ := r.store.get(key)
	if rec == nil {
		if !ignoreNotFound {
			return nil, storage.NewKeyNotFoundError(key, 0)
		}
		obj := emptyObject(v)
		return &state{obj: obj}, runtime.SetZeroValue(obj)
	}
	plain, stale, err := r.plain(ctx, rec)
	if err != nil {
		return nil, err
	}
	obj, err := r.private(rec, plain, v)
	if err != nil {
		return nil, err
	}
	return &state{rec: rec, obj: obj, plain: plain, stale: stale}, nil
}

// GuaranteedUpdate implements storage.Interface. It ignores the suggestion, as the API
// server's cache does: the present object is at hand.
func (r *resourceStore) GuaranteedUpdate(
	ctx context.Context, key string, destination runtime.Object, ignoreNotFound bool,
	preconditions *storage.Preconditions, tryUpdate storage.UpdateFunc, _ runtime.Object,
) error {
	key, err := r.prepareKey(key, false)
	if err != nil {
		return err
	}
	v, err := conversion.EnforcePtr(destination)
	if err != nil {
		return fmt.Errorf("update %s: %w", key, err)
	}
	for ctx.Err() == nil {
		current, err := r.state(ctx, key, v, ignoreNotFound)
		if err != nil {
			return err
		}
		if err := preconditions.Check(key, current.obj); err != nil {
			return err
		}
		rec, plain, err := r.update(ctx, key, current, tryUpdate)
		if err != nil {
			return err
		}
		if rec != nil {
			return r.copyInto(destination, rec, plain)
		}
	}
	return storage.NewTimeoutError(key, ctx.Err().Error())
}

// update makes one attempt at an update. It returns the record that is now stored and the
// codec's bytes, or nil if another writer was faster.
func (r *resourceStore) update(
	ctx context.Context, key string, current *state, tryUpdate storage.UpdateFunc,
) (rec *record, plain []byte, err error) {
	updated, ttl, err := tryUpdate(current.obj, current.meta())
	if err != nil {
		return nil, nil, err
	}
	plain, err = r.encode(updated)
	if err != nil {
		return nil, nil, err
	}
	if !current.stale && bytes.Equal(plain, current.plain) {
		return current.rec, plain, nil // nothing changes, so nothing is written
	}
	var seconds uint64
	if ttl != nil {
		seconds = *ttl
	}
	rec, err = r.put(ctx, write{key: key, expected: current.rec, ttl: seconds, update: true}, plain)
	return rec, plain, err
}

// Delete implements storage.Interface. It ignores the suggestion, as GuaranteedUpdate does.
func (r *resourceStore) Delete(
	ctx context.Context, key string, out runtime.Object, preconditions *storage.Preconditions,
	validate storage.ValidateObjectFunc, _ runtime.Object, opts storage.DeleteOptions,
) error {
	key, err := r.prepareKey(key, false)
	if err != nil {
		return err
	}
	v, err := conversion.EnforcePtr(out)
	if err != nil {
		return fmt.Errorf("delete %s: %w", key, err)
	}
	read := r.state
	if opts.ExpectTransformOrDecodeError && utilfeature.DefaultFeatureGate.Enabled(features.AllowUnsafeMalformedObjectDeletion) {
		read = r.unreadable
	}
	for ctx.Err() == nil {
		current, err := read(ctx, key, v, false)
		if err != nil {
			return err
		}
		if err := checkDeletion(ctx, key, current, preconditions, validate); err != nil {
			return err
		}
		revision, ok, err := r.store.remove(r.history, current.rec)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		if current.obj == nil {
			return nil
		}
		if err := r.setRevision(current.obj, revision); err != nil {
			return err
		}
		v.Set(reflect.ValueOf(current.obj).Elem())
		return nil
	}
	return storage.NewTimeoutError(key, ctx.Err().Error())
}

func checkDeletion(
	ctx context.Context, key string, current *state, preconditions *storage.Preconditions, validate storage.ValidateObjectFunc,
) error {
	if err := preconditions.Check(key, current.obj); err != nil {
		return err
	}
	return validate(ctx, current.obj)
}

// unreadable reads an object that is expected not to be readable, and fails if it is.
func (r *resourceStore) unreadable(ctx context.Context, key string, v reflect.Value, _ bool) (*state, error) {
	rec, _ := r.store.get(key)
	if rec == nil {
		return nil, storage.NewKeyNotFoundError(key, 0)
	}
	if plain, _, err := r.plain(ctx, rec); err == nil {
		if _, err := r.decode(plain, rec.revision, emptyObject(v)); err == nil {
			return nil, storage.NewInvalidObjError(key, "unsafe deletion is not allowed because the object is decodable from storage")
		}
	}
	return &state{rec: rec}, nil
}
