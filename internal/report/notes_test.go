package report_test

import (
	"strings"
	"testing"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/report"
	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
)

// TestNotes reports two scenarios with the same note.
func TestNotes(t *testing.T) {
	const note = "keys at endpoint http://127.0.0.1:1 are not tried: connection refused"
	scenarios := []report.Scenario{
		{Name: "one", Outcome: outcome.Passed, Notes: []string{note}}, {Name: "two", Outcome: outcome.Passed, Notes: []string{note}},
	}
	r := report.New("test", time.Time{}, 0, scenarios)
	var table strings.Builder
	if err := r.WriteTable(&table); err != nil {
		t.Fatal(err)
	}
	if strings.Count(table.String(), "\nnote: "+note+"\n") != 1 || r.Outcome != outcome.Passed {
		t.Errorf("outcome %s, want the note once in\n%s", r.Outcome, table.String())
	}
}
