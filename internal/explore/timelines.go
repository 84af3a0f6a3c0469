package explore

import (
	"fmt"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/report"
)

// Timelines returns the findings of explorations as a report of scenarios, with the run of each
// shrunk scenario, or of the case if it was not shrunk.
func Timelines(program string, started time.Time, explorations ...*Report) report.Report {
	var all []report.Scenario
	for _, r := range explorations {
		for i := range r.Findings {
			all = append(all, r.Findings[i].Scenario(fmt.Sprintf("%s, finding %d", r.Scenario, i+1)))
		}
	}
	return report.New(program, started, time.Since(started), all)
}
