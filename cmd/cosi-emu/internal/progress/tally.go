package progress

import (
	"fmt"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/counted"
	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
)

type tally struct {
	begin                          time.Time
	total, passed, failed, skipped int
}

func (t *tally) add(o outcome.Outcome) {
	switch o {
	case outcome.Passed:
		t.passed++
	case outcome.Skipped:
		t.skipped++
	default:
		t.failed++
	}
}

func (t *tally) done() int { return t.passed + t.failed + t.skipped }

// String estimates the remaining time from the scenarios that have run.
func (t *tally) String() string {
	elapsed := time.Since(t.begin)
	text := fmt.Sprintf("%d of %s in %s", t.done(), counted.Of(t.total, "scenario"), elapsed.Round(time.Second))
	if t.failed > 0 {
		text += fmt.Sprintf(", %d failed", t.failed)
	}
	if t.skipped > 0 {
		text += fmt.Sprintf(", %d skipped", t.skipped)
	}
	ran, left := t.passed+t.failed, t.total-t.done()
	if ran > 0 && left > 0 {
		text += fmt.Sprintf(", about %s left", (elapsed / time.Duration(ran) * time.Duration(left)).Round(time.Second))
	}
	return text
}
