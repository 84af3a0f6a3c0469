// Package engine runs scenarios on an emulator. It serves `go test` and the command
// line alike, and reports progress to an [Observer].
//
// Scenarios run in parallel on one emulator. Each has its own namespace and its own
// scope, a short word in the names of its cluster-wide objects. So scenarios do not
// see each other's objects. A scenario that stops or crashes shared components runs
// alone.
package engine
