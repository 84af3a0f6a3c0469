// Package storage measures the S3 store against its foundation: gofakes3 alone, with its backend in
// memory, which checks nothing. Both serve the same requests of the same clients, in turns; package
// workload has the requests.
package storage
