// Package mutants has controllers, sidecars and drivers with one known bug each:
// what an exploration must find. They are the product's own, which come out of an
// exploration clean, with something between them and the seams that makes the
// mistake: a write that is held back until it is too late, an error that is not
// looked at, a call that is answered before it is done.
package mutants
