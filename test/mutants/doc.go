// Package mutants has controllers, sidecars and drivers with one known bug each, which
// exploration must find. A mutant is a real component without findings, and a mutation
// between it and the seams: a write that is delayed too long, an ignored error, or a call
// with a response before it is done.
package mutants
