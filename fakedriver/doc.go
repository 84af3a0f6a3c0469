// Package fakedriver is a COSI driver for trying and testing COSI without an object storage: a real
// gRPC server with working buckets and keys, on one machine. It is also an example of a driver that
// meets the protocol.
//
// The driver holds no state. It derives IDs from names and stores everything else in its [Backend],
// so a restarted driver continues with the same buckets and accounts. The types of the Backend are
// in this package, too.
package fakedriver
