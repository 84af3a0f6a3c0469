// Package fakedriver is a COSI driver whose backend is the S3 store of package
// store: a real gRPC server, with real buckets and keys that work, on one
// machine. It exists so that COSI can be tried, and tested, without an object
// storage; and as an example of what the protocol asks of a driver.
//
// The driver holds no state. IDs follow from names, and everything else is kept
// by the backend, so a driver that is killed and started again carries on as if
// nothing had happened.
package fakedriver
