package memstore

import (
	"context"
	"fmt"
	"reflect"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/conversion"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apiserver/pkg/storage"
)

// What clients are told whose resource version is compacted, in the words of the storage
// in etcd.
const (
	listExpired     = "The resourceVersion for the provided list is too old."
	continueExpired = "The provided continue parameter is too old " +
		"to display a consistent list result. You can start a new list without " +
		"the continue parameter."
	continueInconsistent = "The provided continue parameter is too old " +
		"to display a consistent list result. You can start a new list without " +
		"the continue parameter, or use the continue token in this response to " +
		"retrieve the remainder of the results. Continuing with the provided " +
		"token results in an inconsistent list - objects that were created, " +
		"modified, or deleted between the time the first chunk was returned " +
		"and now may show up in the list."
)

// GetList implements storage.Interface. The objects share memory with the store.
func (r *resourceStore) GetList(ctx context.Context, key string, opts storage.ListOptions, listObj runtime.Object) error {
	key, err := r.prepareKey(key, opts.Recursive)
	if err != nil {
		return err
	}
	items, err := itemsOf(listObj)
	if err != nil {
		return err
	}
	exact, start, err := storage.ValidateListOptions(key, r.versioner, opts)
	if err != nil {
		return err
	}
	if exact < 0 { // one that does not fit into the type
		return apierrors.NewBadRequest("invalid resource version: " + opts.ResourceVersion)
	}
	found, revision, err := r.recordsAt(newKeyRange(key, opts.Recursive, start), exact)
	if err != nil {
		return r.listError(err, key, start, opts)
	}
	if exact == 0 {
		if err := r.checkMinimum(opts.ResourceVersion, revision); err != nil {
			return err
		}
	}
	page, err := r.selectPage(ctx, found, opts, items.Type().Elem())
	setItems(items, page.selected)
	if err != nil {
		return err
	}
	next, remaining, err := storage.PrepareContinueToken(page.last, key, revision, int64(len(found)), page.more, opts)
	if err != nil {
		return err
	}
	opts.Predicate.SetShardInfoOnList(listObj)
	return r.versioner.UpdateList(listObj, uint64(revision), next, remaining) //nolint:gosec // revisions are positive
}

func itemsOf(listObj runtime.Object) (reflect.Value, error) {
	ptr, err := meta.GetItemsPtr(listObj)
	if err != nil {
		return reflect.Value{}, err
	}
	items, err := conversion.EnforcePtr(ptr)
	if err != nil || items.Kind() != reflect.Slice {
		return reflect.Value{}, fmt.Errorf("list into %T: its items must be a slice: %w", listObj, err)
	}
	return items, nil
}

// compactedError reports that a list asked for a revision that is compacted.
type compactedError struct{}

func (compactedError) Error() string { return listExpired }

// recordsAt returns the records of a range at a revision, or the present ones and their
// revision if that is 0.
func (r *resourceStore) recordsAt(keys keyRange, exact int64) ([]*record, int64, error) {
	s := r.store
	s.mu.RLock()
	defer s.mu.RUnlock()
	if exact > s.revision {
		//nolint:gosec // revisions are positive
		return nil, 0, storage.NewTooLargeResourceVersionError(uint64(exact), uint64(s.revision), retryAfterSeconds)
	}
	if exact > 0 && exact < r.history.compacted {
		return nil, 0, compactedError{}
	}
	var found []*record
	s.ascend(keys, func(rec *record) bool {
		found = append(found, rec)
		return true
	})
	if exact == 0 {
		return found, s.revision, nil
	}
	return r.history.undo(found, keys, exact), exact, nil
}

// listError turns the error of a list that is too old into what clients understand: who
// continues a list may go on with a token for the present.
func (r *resourceStore) listError(err error, key, start string, opts storage.ListOptions) error {
	if _, compacted := err.(compactedError); !compacted { //nolint:errorlint // recordsAt does not wrap it
		return err
	}
	if opts.Predicate.Continue == "" {
		return apierrors.NewResourceExpired(listExpired)
	}
	next, err := storage.EncodeContinue(start, key, -1)
	if err != nil {
		utilruntime.HandleError(err)
		return apierrors.NewResourceExpired(continueExpired)
	}
	expired := apierrors.NewResourceExpired(continueInconsistent)
	expired.ErrStatus.Continue = next
	return expired
}

// setItems sets the items of a list to objects, of which it copies the first level.
func setItems(items reflect.Value, objects []runtime.Object) {
	items.Set(reflect.MakeSlice(items.Type(), len(objects), len(objects)))
	for i, obj := range objects {
		items.Index(i).Set(reflect.ValueOf(obj).Elem())
	}
}

// page is a part of the records in the range of a list.
type page struct {
	selected []runtime.Object
	last     string // the key of the last record that was looked at
	more     bool   // whether there are records after it
}

// selectPage returns the records that match the predicate, up to its limit. A list at resource
// version 0 has no limit, as in the API server's cache.
func (r *resourceStore) selectPage(ctx context.Context, found []*record, opts storage.ListOptions, element reflect.Type) (page, error) {
	limit := int(opts.Predicate.Limit)
	if opts.ResourceVersion == "0" {
		limit = 0
	}
	size := len(found)
	if limit > 0 {
		size = min(size, limit)
	}
	p := page{selected: make([]runtime.Object, 0, size)}
	for _, rec := range found {
		if p.more = limit > 0 && len(p.selected) >= limit; p.more {
			break
		}
		if ctx.Err() != nil {
			return p, storage.NewTimeoutError(rec.key, "request did not complete within requested timeout")
		}
		obj, err := r.element(ctx, rec, element)
		if err != nil {
			return p, err
		}
		p.last = rec.key
		if matches(opts.Predicate, obj) {
			p.selected = append(p.selected, obj)
		}
	}
	return p, nil
}

// element returns the object of a record as an element of a list, of a type.
func (r *resourceStore) element(ctx context.Context, rec *record, element reflect.Type) (runtime.Object, error) {
	obj, err := r.shared(ctx, rec)
	if err != nil || reflect.TypeOf(obj) == reflect.PointerTo(element) {
		return obj, err
	}
	plain, _, err := r.plain(ctx, rec)
	if err != nil {
		return nil, err
	}
	return r.private(rec, plain, reflect.New(element).Elem())
}

// matches reports whether a predicate selects an object. It selects no object whose attributes
// cannot be read.
func matches(predicate storage.SelectionPredicate, obj runtime.Object) bool {
	if predicate.Empty() {
		return true
	}
	matched, err := predicate.Matches(obj)
	return err == nil && matched
}
