package report_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/internal/report"
	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
)

func TestWriteMarkdown(t *testing.T) {
	r := report.New("v1", time.Time{}, 0, []report.Scenario{
		{Name: "fine", Outcome: outcome.Passed},
		{
			Name: "lost", Outcome: outcome.Failed, Position: report.Position{File: "my_s.yaml", Line: 3},
			Failures: []report.Failure{{Message: "bucket <b>:\nis *gone*", Notes: []string{"driver is stopped"}}, {Message: "another"}},
		},
		{Name: "elsewhere", Outcome: outcome.Skipped, Reason: "it needs an emulator"},
	})
	var got strings.Builder
	if err := r.WriteMarkdown(&got, "COSI scenarios"); err != nil {
		t.Fatal(err)
	}
	want := "## COSI scenarios\n\n| passed | failed | broken | skipped |\n| --- | --- | --- | --- |\n| 1 | 1 | 0 | 1 |\n\n" +
		"- **lost** (my\\_s.yaml:3): bucket &lt;b>: is \\*gone\\*\n  - driver is stopped\n"
	if diff := cmp.Diff(want, got.String()); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}
