package timeline

import (
	"time"

	"github.com/cosi-emu/cosi-emu/internal/report"
)

// horizon is as far from the beginning of a scenario as anything is drawn. A report
// can be read from a file, and have any times.
const horizon = 1000 * time.Hour

// since returns when a moment was, from the beginning of the scenario.
func since(s report.Scenario, at time.Time) time.Duration {
	return min(max(at.Sub(s.Started), -horizon), horizon)
}

// lasting returns how long something took that a report says took d.
func lasting(d time.Duration) time.Duration { return min(max(d, 0), horizon) }
