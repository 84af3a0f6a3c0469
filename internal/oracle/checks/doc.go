// Package checks has the check of each oracle: a function that finds violations of one kind of
// invariant in the evidence.
package checks
