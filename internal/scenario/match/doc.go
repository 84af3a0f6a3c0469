// Package match compares values with the patterns of scenarios. It exists so that
// all verbs that expect something (of objects, calls, answers, the store) expect it
// in the same way, and say alike what is different.
package match
