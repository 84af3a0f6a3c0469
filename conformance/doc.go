// Package conformance tests whether a COSI driver does what the specification requires, and
// what real drivers get wrong. It calls the driver over gRPC, in both generations of the
// protocol, and uses the credentials that it returns. It requires no Kubernetes.
//
// [Run] is for tests in Go: each check is a subtest. [Execute] returns a [Report]. The
// command `cosi-emu conformance` does the same for drivers in any language.
package conformance

//go:generate go run ./internal/document ../docs/conformance.md
