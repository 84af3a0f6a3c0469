package oracle

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"

	"github.com/cosi-emu/cosi-emu/emulator/backend"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/eventscope"
)

// maxOtherBuckets is how many buckets of others a key is tried at.
const maxOtherBuckets = 8

// probeSuffix makes the name of a bucket that has the name of another one as a prefix.
const probeSuffix = "-probe"

// TryKeys tries the keys of the current scope that were given during the run, also those of accesses
// that have ended: at the buckets that they were for, at others, and at one whose name has theirs
// as a prefix. Buckets that are missing for that exist for the moment of the trial. It returns
// what a key has opened.
func (w *Watcher) TryKeys(ctx context.Context, current func() eventscope.Scope, truth *BackendState) ([]KeyUse, error) {
	if truth == nil {
		return nil, nil
	}
	issued := w.emulator.IssuedKeys(w.started)
	scope := current() // after the keys: if the run is still alone, they are its own
	ids := w.idsOf(scope)
	ours := func(names ...string) bool {
		if scope.Alone { // everything is, except what has a name of others
			return !slices.ContainsFunc(names, func(name string) bool { return !scope.Names(name) })
		}
		return slices.ContainsFunc(names, func(name string) bool { return scope.Names(name) || ids[name] })
	}
	issued = slices.DeleteFunc(issued, func(k backend.IssuedKey) bool { return !ours(k.Account, k.Owner) })
	var used []KeyUse
	for _, key := range issued {
		for _, bucket := range bucketsToTry(key, issued, truth, ours) {
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

// idsOf returns the IDs of the scope whose names do not show it.
func (w *Watcher) idsOf(scope eventscope.Scope) map[string]bool {
	if scope.Alone {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.collect()
	return gather(&Input{API: w.api, Scope: scope, Drivers: w.drivers, Events: w.events, Observations: w.observations}).ids
}

// bucketsToTry returns the names of buckets; the empty one is the list of buckets. A key that
// was rotated is for the buckets of the account's keys before.
func bucketsToTry(key backend.IssuedKey, issued []backend.IssuedKey, truth *BackendState, ours func(...string) bool) []string {
	all := []string{""}
	add := func(names ...string) {
		for _, name := range names {
			if !slices.Contains(all, name) {
				all = append(all, name)
			}
		}
	}
	for _, other := range issued {
		if other.Account != key.Account {
			continue
		}
		for _, own := range other.Buckets {
			add(own, own+probeSuffix)
		}
	}
	for _, a := range truth.Accounts {
		if a.ID != key.Account {
			continue
		}
		for _, grant := range a.Grants {
			add(grant.Bucket)
		}
	}
	most := len(all) + maxOtherBuckets
	for _, b := range truth.Buckets {
		if len(all) < most && ours(b.Name, b.Owner) {
			add(b.Name)
		}
	}
	return all
}

func (w *Watcher) tryKey(ctx context.Context, key backend.IssuedKey, bucket string, truth *BackendState) (opened bool, err error) {
	exists := slices.ContainsFunc(truth.Buckets, func(b fakedriver.Bucket) bool { return b.Name == bucket })
	if bucket == "" || exists {
		return w.emulator.TryKey(ctx, key, bucket)
	}
	for _, protocol := range w.servedProtocols() {
		if opened, err := w.tryMissing(ctx, key, bucket, protocol); opened || err != nil {
			return opened, err
		}
	}
	return false, nil
}

// servedProtocols are those at whose buckets a key can be tried.
func (w *Watcher) servedProtocols() []fakedriver.Protocol {
	served := []fakedriver.Protocol{fakedriver.ProtocolS3}
	if w.emulator.Info().GCSEndpoint != "" {
		served = append(served, fakedriver.ProtocolGCS)
	}
	if w.emulator.Info().AzureEndpoint != "" {
		served = append(served, fakedriver.ProtocolAzure)
	}
	return served
}

// tryMissing tries a key at a bucket that exists for the moment of the trial.
func (w *Watcher) tryMissing(
	ctx context.Context, key backend.IssuedKey, bucket string, protocol fakedriver.Protocol,
) (opened bool, err error) {
	owner := "key-trial-" + rand.Text() // no other bucket's, so that creating one whose name exists is a conflict
	spec := fakedriver.BucketSpec{Name: bucket, Owner: owner, Protocol: protocol}
	if _, err := w.emulator.Store().CreateBucket(ctx, spec); err != nil {
		return false, nil // a name that the store does not accept, or that exists, opens nothing here
	}
	defer func() {
		err = errors.Join(err, w.emulator.Store().DeleteBucket(context.WithoutCancel(ctx), owner, bucket))
	}()
	return w.emulator.TryKey(ctx, key, bucket)
}
