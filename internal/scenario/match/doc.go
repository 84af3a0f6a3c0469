// Package match compares values with the patterns of scenarios, and describes the differences. All
// verbs with expectations (of objects, calls, answers, the store) use it.
package match
