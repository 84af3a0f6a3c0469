package explore

import (
	"fmt"
	"strings"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/explore/cause"
	"github.com/cosi-emu/cosi-emu/internal/report"
)

// Timelines returns the findings of explorations as a report of scenarios, with the run of each
// shrunk scenario, or of the case if it was not shrunk. A finding of several scenarios is one.
func Timelines(program string, started time.Time, explorations ...*Report) report.Report {
	var all []report.Scenario
	again := Recurring(explorations...)
	for _, r := range explorations {
		for i := range r.Findings {
			if r.Findings[i].Known != nil {
				continue
			}
			shown := r.Findings[i].Scenario(fmt.Sprintf("%s, finding %d", r.Scenario, i+1))
			if also := again[cause.Reference{Scenario: r.Scenario, Finding: i + 1}]; len(also) > 0 {
				first := &shown.Failures[0]
				first.Notes = append(first.Notes, "Also in "+strings.Join(also, ", "))
			}
			all = append(all, shown)
		}
	}
	return report.New(program, started, time.Since(started), all)
}
