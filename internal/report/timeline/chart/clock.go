package chart

import (
	"time"

	"github.com/cosi-emu/cosi-emu/internal/report"
)

// horizon limits the time axis: a report can be read from a file, and have any times.
const horizon = 1000 * time.Hour

// Since returns the time from the beginning of the scenario to a moment.
func Since(s report.Scenario, at time.Time) time.Duration {
	return min(max(at.Sub(s.Started), -horizon), horizon)
}

func lasting(d time.Duration) time.Duration { return min(max(d, 0), horizon) }
