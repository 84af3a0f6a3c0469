package scenarios

import "flag"

// Flags of the test binary: go test -scenarios.update. Their names have a prefix because a test
// binary may have an -update of its own.
var (
	update = flag.Bool("scenarios.update", false, "write the golden files of scenarios instead of comparing with them")
	keep   = flag.Bool("scenarios.keep", false,
		"leave the objects of a scenario that fails where they are, say how to look at them, and wait for Ctrl-C")
)
