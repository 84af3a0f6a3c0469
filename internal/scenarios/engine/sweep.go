package engine

import (
	"context"
	"errors"
	"slices"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/fakedriver"
)

// ownBuckets are the buckets of the store that are the scenario's: made by COSI for
// its objects, by drivers of its own, or by its steps.
func (r *run) ownBuckets(ctx context.Context) ([]fakedriver.Bucket, error) {
	backend := r.engine.emulator.Store()
	if backend == nil {
		return nil, nil
	}
	all, err := backend.Buckets(ctx)
	return slices.DeleteFunc(all, func(b fakedriver.Bucket) bool { return !r.isOwn(b.Name) && !r.isOwn(b.Owner) && !r.made(b.Name) }), err
}

// made reports whether a step has made a bucket past COSI.
func (r *run) made(bucket string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Contains(r.brought, bucket)
}

// bring remembers a bucket that a step has made past COSI.
func (r *run) bring(bucket string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.brought = append(r.brought, bucket)
}

// emptyBuckets deletes the objects in the scenario's buckets, which would keep COSI
// from deleting them. A scenario that wants to see that sees it before.
func (r *run) emptyBuckets(ctx context.Context) error {
	own, err := r.ownBuckets(ctx)
	failed := []error{err}
	for _, b := range own {
		if !b.Purge {
			failed = append(failed, r.empty(ctx, b))
		}
	}
	return errors.Join(failed...)
}

// sweep removes from the store what nobody else will: buckets that are retained or
// were never COSI's, and what has leaked, which the oracles have seen by now.
func (r *run) sweep(ctx context.Context) error {
	own, err := r.ownBuckets(ctx)
	failed := []error{err}
	for _, b := range own {
		failed = append(failed, ignoreNotExist(r.deleteBucket(ctx, b.Name)))
	}
	backend := r.engine.emulator.Store()
	if backend == nil {
		return errors.Join(failed...)
	}
	accounts, err := backend.Accounts(ctx)
	failed = append(failed, err)
	for _, a := range accounts {
		if a.ID != emulator.Administrator && (r.isOwn(a.ID) || r.isOwn(a.Owner)) {
			failed = append(failed, ignoreNotExist(backend.DeleteAccount(ctx, a.Owner, a.ID)))
		}
	}
	return errors.Join(failed...)
}

func ignoreNotExist(err error) error {
	if errors.Is(err, fakedriver.ErrNotExist) {
		return nil
	}
	return err
}

// mutating are the calls that change the backend, and whether they bring something
// into it.
var mutating = map[string]bool{
	"DriverCreateBucket": true, "DriverDeleteBucket": false, "DriverGrantBucketAccess": true, "DriverRevokeBucketAccess": false,
}

// touchCalled says that a call of the scenario's own may have changed the backend
// past COSI: that is neither a leak nor a loss of COSI's.
func (r *run) touchCalled(method string, request proto.Message) {
	brings, changes := mutating[method]
	if !changes {
		return
	}
	for _, name := range []protoreflect.Name{"bucket_id", "account_id"} {
		field := request.ProtoReflect().Descriptor().Fields().ByName(name)
		if field == nil {
			continue
		}
		id := request.ProtoReflect().Get(field).String()
		r.watcher.MarkExternal(id)
		if brings {
			r.bring(id)
		}
	}
}
