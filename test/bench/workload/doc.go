// Package workload is what clients do with an S3 store, for measurements: the same
// with the store and with gofakes3 alone, which the store is compared with. It
// exists so that Go's benchmarks and `make bench` measure the same.
//
// Server and client are in this process, and what both do counts. The client is
// the SDK's, and does not send the checksums that it would by default: gofakes3
// cannot take them.
package workload
