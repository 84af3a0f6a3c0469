// Package description describes a driver to the conformance suite, and its calls to the readers of a
// report. Package conformance has aliases of the types; this package does not link the suite.
package description
