package fault_test

import (
	"fmt"

	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
)

func Example() {
	faults := fault.NewSet()
	err := faults.Add(fault.Fault{
		Name:   "away",
		Match:  fault.Match{Seam: journal.SeamRPC, Operation: "DriverCreateBucket", Times: 3},
		Effect: fault.Effect{Fail: "Unavailable"},
	})
	fmt.Println(len(faults.List()), err)
	// Output: 1 <nil>
}
