package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/fakedriver"
)

// ownBuckets returns the scenario's buckets in the store: those that COSI, the
// scenario's drivers or its steps have created.
func (r *run) ownBuckets(ctx context.Context) ([]fakedriver.Bucket, error) {
	backend := r.engine.emulator.Store()
	if backend == nil {
		return nil, nil
	}
	all, err := backend.Buckets(ctx)
	return slices.DeleteFunc(all, func(b fakedriver.Bucket) bool {
		return !r.isOwn(b.Name) && !r.isOwn(b.Owner) && !r.isExternal(b.Name)
	}), err
}

// isExternal reports whether a step has created a bucket without COSI.
func (r *run) isExternal(bucket string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Contains(r.external, bucket)
}

// markExternal marks a bucket that a step has created without COSI.
func (r *run) markExternal(bucket string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.external = append(r.external, bucket)
}

// emptyBuckets deletes the objects in the scenario's buckets, which would block the
// deletion of the buckets. A scenario that tests this does so before the clean-up.
func (r *run) emptyBuckets(ctx context.Context) error {
	if r.engine.ownDriver() {
		return r.emptyCalled(ctx)
	}
	own, err := r.ownBuckets(ctx)
	failed := []error{err}
	for _, b := range own {
		if !b.Purge {
			failed = append(failed, r.empty(ctx, b))
		}
	}
	return errors.Join(failed...)
}

// cleanUpBackend removes what COSI leaves in the store: retained buckets, buckets
// created outside COSI, and leaks, which the oracles have already reported.
func (r *run) cleanUpBackend(ctx context.Context) error {
	if r.engine.ownDriver() {
		return r.deleteCalled(ctx)
	}
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

// mutating has the calls that change the backend. The value is true if a call creates something.
var mutating = map[string]bool{
	"DriverCreateBucket": true, "DriverDeleteBucket": false, "DriverGrantBucketAccess": true, "DriverRevokeBucketAccess": false,
}

// markCallExternal marks the possible effects of the scenario's own call in the backend. The
// oracles do not report them as a leak or a loss.
func (r *run) markCallExternal(method string, request proto.Message) {
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
			r.markExternal(id)
		}
	}
}

// deleteBucket deletes a bucket and its objects, which requires the store's
// administrator.
func (r *run) deleteBucket(ctx context.Context, name string) error {
	backend := r.engine.emulator.Store()
	b, err := backend.GetBucket(ctx, name)
	if err != nil {
		return err
	}
	if err := backend.DeleteBucket(ctx, b.Owner, name); !errors.Is(err, fakedriver.ErrNotEmpty) {
		return err
	}
	if err := r.empty(ctx, b); err != nil {
		return err
	}
	return backend.DeleteBucket(ctx, b.Owner, name)
}

// empty deletes the contents of a bucket, including locked objects.
func (r *run) empty(ctx context.Context, b fakedriver.Bucket) error {
	if err := r.engine.emulator.Store().AdminEmptyBucket(ctx, b.Name); err != nil {
		return fmt.Errorf("empty bucket %s: %w", b.Name, err)
	}
	return nil
}

func deleteAllVersions(ctx context.Context, client *s3.Client, deletion s3.DeleteObjectInput) error {
	pages := s3.NewListObjectVersionsPaginator(client, &s3.ListObjectVersionsInput{Bucket: deletion.Bucket})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return err
		}
		if err := deleteVersions(ctx, client, deletion, page); err != nil {
			return err
		}
	}
	return nil
}

func deleteVersions(ctx context.Context, client *s3.Client, deletion s3.DeleteObjectInput, page *s3.ListObjectVersionsOutput) error {
	for _, version := range page.Versions {
		deletion.Key, deletion.VersionId = version.Key, version.VersionId
		if _, err := client.DeleteObject(ctx, &deletion); err != nil {
			return err
		}
	}
	for _, marker := range page.DeleteMarkers {
		deletion.Key, deletion.VersionId = marker.Key, marker.VersionId
		if _, err := client.DeleteObject(ctx, &deletion); err != nil {
			return err
		}
	}
	return nil
}

// EmptyBuckets deletes the objects in all buckets of the store, as the store's
// administrator.
func (e *Engine) EmptyBuckets(ctx context.Context) error {
	backend := e.emulator.Store()
	if backend == nil {
		return nil
	}
	all, err := backend.Buckets(ctx)
	failed := []error{err}
	r := &run{engine: e}
	for _, b := range all {
		failed = append(failed, ignoreNotExist(r.empty(ctx, b)))
	}
	return errors.Join(failed...)
}
