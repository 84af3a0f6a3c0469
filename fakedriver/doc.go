// Package fakedriver is a COSI driver for trying and testing COSI without an object
// storage: a real gRPC server, whose buckets and keys work, on one machine. It is
// also an example of what the protocol requires of a driver.
//
// The driver holds no state. It derives IDs from names and stores everything else
// in its [Backend], so a driver that is killed and started again continues with the
// same buckets and accounts. The types of the Backend are in this package, too.
package fakedriver
