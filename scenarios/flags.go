package scenarios

import "flag"

// Flags of the test binary: go test -scenarios.update. Their names have a prefix because a test
// binary may have an -update of its own.
var (
	update = flag.Bool("scenarios.update", false, "write the golden files of scenarios instead of comparing with them")
	keep   = flag.Bool("scenarios.keep", false,
		"keep the objects of a failed scenario, print how to inspect them, and wait for Ctrl-C")
)
