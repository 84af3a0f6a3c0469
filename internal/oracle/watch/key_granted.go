package watch

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator/backend"
	"github.com/cosi-emu/cosi-emu/internal/eventscope"
	"github.com/cosi-emu/cosi-emu/internal/oracle/evidence"
	"github.com/cosi-emu/cosi-emu/internal/oracle/observed"
)

const (
	// externalTrials limits the trials of an observation.
	externalTrials = 30 * time.Second
	// revocationPatience is the time for a service to reject a revoked key, and revocationPoll the
	// time between attempts.
	revocationPatience = 5 * time.Second
	revocationPoll     = 250 * time.Millisecond
)

// TryGrantedKeys tries the keys of the current scope that external drivers have returned during the
// run: at their buckets, at the buckets of other keys of the driver, and, once the access is
// revoked, at the list of buckets. It returns the successful uses. It tries no key if the driver's
// service cannot be asked; Keys.NotTried has the reason.
func (w *Watcher) TryGrantedKeys(ctx context.Context, current func() eventscope.Scope) ([]observed.KeyUse, error) {
	granted := w.emulator.Keys().Granted(w.started)
	if len(granted) == 0 {
		return nil, nil
	}
	scope := current() // after the keys, as in TryKeys
	w.mu.Lock()
	w.collect()
	last := w.last
	e := evidence.Gather(&observed.Input{API: w.api, Scope: scope, Drivers: w.drivers, Events: w.events, Observations: w.observations})
	w.mu.Unlock()
	limited, cancel := context.WithTimeout(ctx, externalTrials)
	defer cancel()
	var used []observed.KeyUse
	for _, key := range granted {
		if !e.IDs[key.Account] && !scope.Names(key.Account) {
			continue
		}
		opened, err := w.tryGranted(limited, key, granted, e.AccessOf(key.Account, last).Revoked)
		if err != nil {
			return nil, err
		}
		for _, use := range opened {
			if !slices.Contains(used, use) {
				used = append(used, use)
			}
		}
	}
	return used, nil
}

// tryGranted returns the uses of a key. A revoked key may work for a moment.
func (w *Watcher) tryGranted(
	ctx context.Context, key backend.GrantedKey, granted []backend.GrantedKey, revoked bool,
) ([]observed.KeyUse, error) {
	patience := time.NewTimer(revocationPatience)
	defer patience.Stop()
	for {
		var used []observed.KeyUse
		buckets := externalBuckets(key, granted, revoked)
		for _, id := range slices.Sorted(maps.Keys(buckets)) {
			opened, err := w.emulator.Keys().TryGranted(ctx, key, buckets[id])
			if _, notTried := errors.AsType[*backend.KeyNotTriedError](err); err != nil && !notTried {
				return nil, err
			}
			if opened {
				used = append(used, observed.KeyUse{Account: key.Account, Bucket: id})
			}
		}
		if !revoked || len(used) == 0 {
			return used, nil
		}
		select {
		case <-patience.C:
			return used, nil
		case <-ctx.Done(): // the last answers count
			return used, nil
		case <-time.After(revocationPoll):
		}
	}
}

// externalBuckets returns the names of buckets to try a key at, by ID; the empty one is the list of
// buckets.
func externalBuckets(key backend.GrantedKey, granted []backend.GrantedKey, revoked bool) map[string]string {
	all := maps.Clone(key.Buckets)
	for _, other := range granted {
		for _, id := range slices.Sorted(maps.Keys(other.Buckets)) {
			if other.Component == key.Component && other.Endpoint == key.Endpoint && len(all) < len(key.Buckets)+maxOtherBuckets {
				all[id] = other.Buckets[id]
			}
		}
	}
	if revoked || len(all) == 0 {
		all[""] = ""
	}
	return all
}
