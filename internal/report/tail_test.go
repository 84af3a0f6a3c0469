package report_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/report"
	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
)

func TestTail(t *testing.T) {
	failed := report.NewScenario(story())
	judged := failed
	judged.Failures = []report.Failure{{Oracle: "order", Message: "too late", Events: []uint64{1}}}
	for name, tc := range map[string]struct {
		reason string
		of     report.Scenario
		limit  int
		want   []uint64
		before int
	}{
		"Step":   {"What comes after the step that failed is only cleaning up.", failed, 20, []uint64{1, 2, 3}, 0},
		"Short":  {"The last ones.", failed, 1, []uint64{2}, 2},
		"Oracle": {"Judged at the end, and the event that shows it is among them.", judged, 1, []uint64{1, 4}, 2},
		"None":   {"Nothing has happened.", report.Scenario{}, 20, nil, 0},
	} {
		t.Run(name, func(t *testing.T) {
			tail, before := report.Tail(tc.of, tc.limit)
			var got []uint64
			for _, e := range tail {
				got = append(got, e.Seq)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" || before != tc.before {
				t.Errorf("%s %d before them, want %d; -want, +got:\n%s", tc.reason, before, tc.before, diff)
			}
		})
	}
}

func TestTextOfOracle(t *testing.T) {
	long := journal.Event{Seq: 7, Time: at(0), Component: "sidecar", Seam: journal.SeamLog, Message: strings.Repeat("x", 1000)}
	s := report.Scenario{
		Name: "s", Outcome: outcome.Failed, Position: report.Position{File: "s.yaml", Line: 1}, Events: []journal.Event{long},
		Failures: []report.Failure{
			{Oracle: "leak", Position: report.Position{File: "s.yaml", Line: 1}, Message: "a bucket\nis left", Events: []uint64{7}},
			{Position: report.Position{File: "s.yaml"}, Message: "other", Differences: []report.Difference{{Want: "x"}}},
		},
	}
	var out strings.Builder
	if err := (report.Text{}).Write(&out, []report.Scenario{s}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"s.yaml:1: at the end, the oracle leak\n    a bucket\n    is left\n",
		"s.yaml: before the first step, or after the last\n    other\n      it: want x, got nothing\n",
		"  > 12:00:00.000 sidecar", "…\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("it does not say %q, but:\n%s", want, out.String())
		}
	}
}
