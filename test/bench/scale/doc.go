// Package scale measures the cost of the COSI controller and of a sidecar under
// load: how fast they are against bare writes to the same API server,
// how many requests they make against the KEP's minimum, and whether the cost
// of one object grows with the number of the others.
//
// Controller and sidecar run in this process, without the seams and the journal
// of an emulator, and with a driver that remembers nothing, so that time, memory
// and requests are theirs. The API server and its etcd are real. A pair is a
// BucketClaim and a BucketAccess to it.
package scale
