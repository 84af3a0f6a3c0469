// Package conformance tests whether a COSI driver does what the specification requires, and
// what real drivers get wrong. It calls the driver over gRPC, in the dialect of the protocol that
// the driver speaks, and uses the credentials that it returns. It requires no Kubernetes.
//
// [Run] is for tests in Go: each check is a subtest. [Execute] returns a [Report]. The
// command `cosi-emu conformance` does the same for drivers in any language.
package conformance
