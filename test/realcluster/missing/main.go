// Command missing prints a sentence about what a node requires and this machine lacks, or nothing. `make
// test-cluster` asks it before it builds anything.
package main

import (
	"os"

	"github.com/cosi-emu/cosi-emu/test/realcluster"
)

func main() { _, _ = os.Stdout.WriteString(realcluster.MissingOnMachine()) }
