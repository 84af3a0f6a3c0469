// Package evidence reads the input of the oracles: the calls and the versions of objects in its events
// and observations, reduced to the scope that is judged.
package evidence
