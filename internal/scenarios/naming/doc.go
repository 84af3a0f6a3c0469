// Package naming knows the words in names, and in all that is said about what they
// name, that differ from run to run: the UIDs of objects, and the scopes of scenarios.
// It exists so that whoever compares two runs, or tells scenarios apart, means the
// same by these words.
package naming
