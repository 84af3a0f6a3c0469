// Package differential sends the same generated requests to two API servers, and compares their
// answers: status, reason, causes, warnings and objects. It proves that the embedded control plane
// answers as the real one does.
package differential
