// Package spec defines the form of scenarios in YAML, and decodes it. It does not import the
// engine, so that files can be checked without starting anything.
//
// Decoding is strict. An unknown or misplaced field, a duplicate key, a second verb: each is a
// [document.Problem] with file, line and column, and all problems of a file are reported at once.
package spec
