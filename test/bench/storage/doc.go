// Package storage measures the S3 store against what it is made of: gofakes3 alone,
// with its backend in memory, which checks nothing. Both do the same for the same
// clients, in turns; package workload of the store says what.
package storage
