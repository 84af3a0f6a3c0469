package notes

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/seam"
)

// driverTrouble describes the calls that ended without an answer of the driver.
func driverTrouble(events []journal.Event) []string {
	var order []string
	counts := map[string]int{}
	for _, e := range events {
		if !isCall(e) || e.Fault != "" {
			continue
		}
		var what string
		switch {
		case brokenConnection(e):
			what = "the driver's process ended during " + e.Operation.Name
		case unreachable(e):
			what = "the driver is not reachable for " + e.Operation.Name
		case e.Outcome == "DeadlineExceeded":
			what = fmt.Sprintf("%s has not answered within %s", e.Operation.Name, e.Duration.Round(time.Second/10))
		default:
			continue
		}
		if counts[what] == 0 {
			order = append(order, what)
		}
		counts[what]++
	}
	for i, what := range order {
		if n := counts[what]; n > 1 {
			order[i] = fmt.Sprintf("%s, %d times", what, n)
		}
	}
	return order
}

// brokenConnection reports whether the connection of a call ended before the answer.
func brokenConnection(e journal.Event) bool {
	return e.Outcome == "Unavailable" && slices.ContainsFunc(
		[]string{"error reading from server", "connection reset by peer", "broken pipe", seam.ErrFenced.Error()},
		func(text string) bool { return strings.Contains(e.Message, text) })
}

// unreachable reports whether there was no connection for a call.
func unreachable(e journal.Event) bool {
	return e.Outcome == "Unavailable" && strings.Contains(e.Message, "connection error")
}
