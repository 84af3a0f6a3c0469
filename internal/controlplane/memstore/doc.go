// Package memstore keeps the objects of an API server in memory. It implements
// storage.Interface of k8s.io/apiserver, which otherwise talks to etcd, for API servers
// that run in this process and end with it.
//
// A Store holds all resources of one API server, with one sequence of resource versions.
// Its Decorate method is the generic.StorageDecorator that the generic registry and the
// registry of custom resources get by their RESTOptions.
//
// # Storage
//
// A record is the encoded object, as the codec of the resource wrote it, and never
// changes. Beside the bytes stands the decoded object of each version that is served,
// made once and shared by all readers. Bytes alone would cost a decoding for each read
// and each watch: 36 µs for a custom resource of 1 kB, where a copy of the shared object
// costs 3 µs (BenchmarkDecode and BenchmarkCopy), and a list needs not even that.
// Decoded objects alone would not do: versions of a custom resource share their objects
// through the bytes, a write that changes nothing is recognized by equal bytes, and a write
// must return the same object as a later read.
//
// A list and a get with a resource version share memory with the store below the first
// level, as in the API server's own cache, and callers must not change their results. A
// get, an update and a delete return copies.
//
// # Why there is no cache on top
//
// The API server's cache (package cacher) exists to spare etcd, and costs a goroutine, a
// second copy and a delay for each resource. Here the store itself answers as the cache
// does: it ignores the limit of a list at resource version 0, sends bookmarks to watches
// that allow them, starts watches not before the resource was opened, and shares the
// encodings of an event between its watchers.
//
// # History
//
// Each resource keeps its latest events, up to a number and a size. Watches read them,
// each at its own pace: a slow watcher holds nothing but its position, and ends with 410
// Gone once the events that it has not read are dropped. Lists at an older resource
// version are the present state with the later events undone.
package memstore
