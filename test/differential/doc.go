// Package differential sends the same generated requests to two API servers, and compares
// what they answer: status, reason, causes, warnings and objects. It is how the embedded
// control plane is held to the real one.
package differential
