// Command missing prints a sentence about what a node requires and this machine lacks, or nothing. `make
// test-cluster` asks it before it builds anything.
package main

import (
	"fmt"

	"github.com/cosi-emu/cosi-emu/test/realcluster"
)

func main() { fmt.Print(realcluster.MissingOnMachine()) }
