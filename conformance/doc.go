// Package conformance tests whether a COSI driver meets the specification, and checks for common
// bugs of real drivers. It calls the driver over gRPC, in the dialect of the protocol that the
// driver speaks, and uses the credentials that it returns. It requires no Kubernetes.
//
// [Run] is for tests in Go: each check is a subtest. [Execute] returns a [Report]. The
// command `cosi-emu conformance` does the same for drivers in any language.
package conformance
