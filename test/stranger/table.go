package main

import (
	"fmt"
	"strings"
	"time"
)

// render returns the table of times, with a sum for each person.
func render(timings []timing) string {
	var table strings.Builder
	table.WriteString("| who | command | seconds |\n| --- | --- | --- |\n")
	var sum time.Duration
	for i, t := range timings {
		fmt.Fprintf(&table, "| %s | `%s` | %.1f |\n", t.person, strings.ReplaceAll(t.command, "|", `\|`), t.took.Seconds())
		sum += t.took
		if i == len(timings)-1 || timings[i+1].person != t.person {
			fmt.Fprintf(&table, "| **%s** | **all** | **%.1f** |\n", t.person, sum.Seconds())
			sum = 0
		}
	}
	return table.String()
}
