package journal_test

import (
	"fmt"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
)

func Example() {
	history := journal.New(journal.Options{})
	mark := history.Mark()
	call := history.Begin("sidecar", 1, journal.SeamRPC, journal.Operation{Name: "DriverCreateBucket", Subject: "bc-1"})
	call.Outcome = "Unavailable"
	history.Append(call)
	for _, event := range history.Since(mark) {
		fmt.Println(event.Component, event.Operation, event.Outcome)
	}
	// Output: sidecar DriverCreateBucket bc-1 Unavailable
}
