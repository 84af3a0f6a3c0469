package bridge

import "context"

// Store keeps small texts durably, by key. Its methods are called concurrently for
// different keys.
type Store interface {
	// Load returns the value of a key, and whether there is one.
	Load(ctx context.Context, key string) (value string, found bool, err error)
	// Save returns once the value would survive a crash.
	Save(ctx context.Context, key, value string) error
	// Delete removes a key, if it is there.
	Delete(ctx context.Context, key string) error
}

// KeyStore is a Store that knows its keys.
type KeyStore interface {
	Store

	// Keys returns all keys, in any order.
	Keys(ctx context.Context) ([]string, error)
}
