package watch

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"

	"github.com/cosi-emu/cosi-emu/emulator/backend"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/eventscope"
	"github.com/cosi-emu/cosi-emu/internal/oracle/evidence"
	"github.com/cosi-emu/cosi-emu/internal/oracle/observed"
)

// maxOtherBuckets is the maximum number of other buckets at which a key is tried.
const maxOtherBuckets = 8

// probeSuffix makes a bucket name with another name as its prefix.
const probeSuffix = "-probe"

// TryKeys tries the keys of the current scope that were issued during the run, also for ended
// accesses: at their buckets, at others, and at one whose name has theirs as a prefix. It creates
// missing buckets for the moment of the trial. It returns the successful uses.
func (w *Watcher) TryKeys(ctx context.Context, current func() eventscope.Scope, truth *observed.BackendState) ([]observed.KeyUse, error) {
	if truth == nil {
		return nil, nil
	}
	issued := w.emulator.Keys().Issued(w.started)
	scope := current() // after the keys: if the run is still alone, they are its own
	ids := w.idsOf(scope)
	ours := func(names ...string) bool {
		if scope.Alone { // all IDs, except with names of others
			return !slices.ContainsFunc(names, func(name string) bool { return !scope.Names(name) })
		}
		return slices.ContainsFunc(names, func(name string) bool { return scope.Names(name) || ids[name] })
	}
	issued = slices.DeleteFunc(issued, func(k backend.IssuedKey) bool { return !ours(k.Account, k.Owner) })
	var used []observed.KeyUse
	for _, key := range issued {
		for _, bucket := range bucketsToTry(key, issued, truth, ours) {
			opened, err := w.tryKey(ctx, key, bucket, truth)
			if err != nil {
				return nil, err
			}
			if use := (observed.KeyUse{Account: key.Account, Bucket: bucket}); opened && !slices.Contains(used, use) {
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
	return evidence.Gather(&observed.Input{API: w.api, Scope: scope, Drivers: w.drivers, Events: w.events, Observations: w.observations}).IDs
}

// bucketsToTry returns the names of buckets; the empty one is the list of buckets. A rotated key is
// for the buckets of the account's earlier keys.
func bucketsToTry(key backend.IssuedKey, issued []backend.IssuedKey, truth *observed.BackendState, ours func(...string) bool) []string {
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

func (w *Watcher) tryKey(ctx context.Context, key backend.IssuedKey, bucket string, truth *observed.BackendState) (opened bool, err error) {
	exists := slices.ContainsFunc(truth.Buckets, func(b fakedriver.Bucket) bool { return b.Name == bucket })
	if bucket == "" || exists {
		return w.emulator.Keys().Try(ctx, key, bucket)
	}
	for _, protocol := range w.servedProtocols() {
		if opened, err := w.tryMissing(ctx, key, bucket, protocol); opened || err != nil {
			return opened, err
		}
	}
	return false, nil
}

// servedProtocols are the protocols of buckets at which a key can be tried.
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
	owner := "key-trial-" + rand.Text() // a unique owner, so that creating an existing name is a conflict
	spec := fakedriver.BucketSpec{Name: bucket, Owner: owner, Protocol: protocol}
	if _, err := w.emulator.Store().CreateBucket(ctx, spec); err != nil {
		return false, nil // the name exists, or the store does not accept it
	}
	defer func() {
		err = errors.Join(err, w.emulator.Store().DeleteBucket(context.WithoutCancel(ctx), owner, bucket))
	}()
	return w.emulator.Keys().Try(ctx, key, bucket)
}
