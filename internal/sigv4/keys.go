package sigv4

import (
	"strings"
	"sync/atomic"
)

// maxKeys is the number of cached signing keys of a secret: clients use one region each, and one
// day after another.
const maxKeys = 4

type derived struct {
	scope Scope
	key   Key
}

// Keys are the recently used signing keys of one secret. Deriving one takes longer than all other
// work on a signature. Keys belong to the record of the secret, and end with it: another secret has
// other Keys. The zero value is empty. Methods are safe for concurrent use.
type Keys struct {
	recent atomic.Pointer[[maxKeys]derived]
}

// Get returns the signing key for a scope, and derives it if it is not cached.
func (k *Keys) Get(secret string, scope Scope) Key {
	if key, ok := k.find(scope); ok {
		return key
	}
	return Derive(secret, scope)
}

// Keep caches a key, in place of the oldest one. The caller has verified a signature with it, so
// that clients without the secret cannot displace keys.
func (k *Keys) Keep(scope Scope, key Key) {
	if _, ok := k.find(scope); ok {
		return
	}
	old := k.recent.Load()
	// The strings may be parts of a request.
	all := [maxKeys]derived{{Scope{strings.Clone(scope.Day), strings.Clone(scope.Region), scope.Scheme}, key}}
	if old != nil {
		copy(all[1:], old[:])
	}
	k.recent.CompareAndSwap(old, &all) // otherwise the next request keeps it
}

func (k *Keys) find(scope Scope) (Key, bool) {
	if recent := k.recent.Load(); recent != nil {
		for i := range recent {
			if recent[i].scope == scope && scope != (Scope{}) {
				return recent[i].key, true
			}
		}
	}
	return Key{}, false
}
