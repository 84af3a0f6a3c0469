// Package cel is the language in scenarios: CEL expressions, and texts with
// expressions in them, ${...}. It exists so that a document can find every
// expression that cannot work before anything is started, and the engine can
// evaluate the rest.
package cel
