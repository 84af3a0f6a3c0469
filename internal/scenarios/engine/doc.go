// Package engine runs scenarios on an emulator. The same engine serves `go test`
// and the command line: it knows neither, and tells an [Observer] what happens.
//
// Scenarios run in parallel on one emulator. Each has a namespace of its own and a
// scope, a short word that is part of the names of its cluster-wide objects, so
// that none sees another's. Only those that stop or crash what all share run
// alone.
package engine
