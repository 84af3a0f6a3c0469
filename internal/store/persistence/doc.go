// Package persistence keeps what is known of buckets and accounts, in records of
// the blob store, and loads them when the store is opened again. It exists so that
// the form of the records, which later versions must be able to read, has one
// place.
package persistence
