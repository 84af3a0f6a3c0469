// Package persistence stores buckets and accounts in records of the blob store, and loads them when
// the store is opened again. It is the only place for the form of the records, which later versions
// must be able to read.
package persistence
