package oracle

import (
	"context"
	"errors"
	"slices"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/emulator/eventscope"
)

// maxOtherBuckets is how many buckets of others a key is tried at.
const maxOtherBuckets = 8

// probeSuffix makes the name of a bucket that has the name of another one as a prefix.
const probeSuffix = "-probe"

// tryKeys tries the keys of the scope: at the buckets that they were for, at others, and at
// one whose name has theirs as a prefix. Buckets that are missing for that exist for the
// moment of the trial. It returns what a key has opened.
func (w *Watcher) tryKeys(ctx context.Context, scope eventscope.Scope, truth *BackendState) ([]KeyUse, error) {
	if truth == nil {
		return nil, nil
	}
	var used []KeyUse
	for _, key := range w.emulator.IssuedKeys(w.started) {
		if !scope.Names(key.Account) && !scope.Names(key.Owner) {
			continue
		}
		for _, bucket := range bucketsToTry(key, scope, truth) {
			opened, err := w.tryKey(ctx, key, bucket, truth)
			if err != nil {
				return nil, err
			}
			if use := (KeyUse{Account: key.Account, Bucket: bucket}); opened && !slices.Contains(used, use) {
				used = append(used, use)
			}
		}
	}
	return used, nil
}

// bucketsToTry returns the names of buckets; the empty one is the list of buckets.
func bucketsToTry(key emulator.IssuedKey, scope eventscope.Scope, truth *BackendState) []string {
	all := []string{""}
	for _, own := range key.Buckets {
		all = append(all, own, own+probeSuffix)
	}
	others := 0
	for _, b := range truth.Buckets {
		if others < maxOtherBuckets && scope.Names(b.Name) && !slices.Contains(all, b.Name) {
			all = append(all, b.Name)
			others++
		}
	}
	return all
}

func (w *Watcher) tryKey(ctx context.Context, key emulator.IssuedKey, bucket string, truth *BackendState) (opened bool, err error) {
	exists := slices.ContainsFunc(truth.Buckets, func(b fakedriver.Bucket) bool { return b.Name == bucket })
	if bucket != "" && !exists {
		spec := fakedriver.BucketSpec{Name: bucket, Owner: emulator.Administrator}
		if _, err := w.emulator.Store().CreateBucket(ctx, spec); err != nil {
			return false, nil // a name that the store does not accept opens nothing
		}
		defer func() {
			err = errors.Join(err, w.emulator.Store().DeleteBucket(context.WithoutCancel(ctx), emulator.Administrator, bucket))
		}()
	}
	return w.emulator.TryKey(ctx, key, bucket)
}
