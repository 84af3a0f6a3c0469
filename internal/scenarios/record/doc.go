// Package record makes recordings of scenarios while they run. What a recording
// is, package recording says; package replay runs it again.
package record
