// Package cel parses and evaluates the CEL expressions in scenarios, and texts with ${...}
// expressions in them. Parsing finds every expression that cannot work before anything starts.
package cel
