// Package spec is the form of scenarios: what may stand in their YAML files,
// and how it is read. It exists apart from the engine so that a file can be
// checked without anything being started.
//
// Reading is strict. An unknown or misplaced field, a key that is given twice, a
// verb too many: each is a [Problem] with file, line and column, and all problems
// of a file are reported at once.
package spec
