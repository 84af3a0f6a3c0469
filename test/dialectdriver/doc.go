// Package dialectdriver has a driver for each wire dialect of COSI v1alpha2, with the
// messages of that dialect. Its buckets and accounts are in memory.
package dialectdriver
