package report_test

import (
	"bytes"
	"encoding/xml"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/internal/report"
	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
)

// The report as a consumer reads it.
type (
	suites struct {
		Tests    int     `xml:"tests,attr"`
		Failures int     `xml:"failures,attr"`
		Errors   int     `xml:"errors,attr"`
		Skipped  int     `xml:"skipped,attr"`
		Suites   []suite `xml:"testsuite"`
	}
	suite struct {
		Name  string `xml:"name,attr"`
		Tests int    `xml:"tests,attr"`
		Time  string `xml:"time,attr"`
		Cases []one  `xml:"testcase"`
	}
	one struct {
		Name      string `xml:"name,attr"`
		ClassName string `xml:"classname,attr"`
		Time      string `xml:"time,attr"`
		Failure   result `xml:"failure"`
		Error     result `xml:"error"`
		Skipped   result `xml:"skipped"`
	}
	result struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr"`
	}
)

func TestJUnit(t *testing.T) {
	r := report.New("v1", begin, time.Second, []report.Scenario{
		report.NewScenario(story()),
		{Name: "skipped", Outcome: outcome.Skipped, Reason: "it needs an emulator", Position: report.Position{File: "b.yaml"}},
		{
			Name: "broken", Outcome: outcome.Broken, Position: report.Position{File: "b.yaml"}, Duration: 2 * time.Second,
			Failures: []report.Failure{{Position: report.Position{File: "b.yaml", Line: 7}, Message: "no answer\nat all", Broken: true}},
		},
	})
	var out bytes.Buffer
	if err := r.WriteJUnit(&out, report.Text{}); err != nil {
		t.Fatal(err)
	}
	var got suites
	if err := xml.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatalf("it is not XML: %v\n%s", err, out.String())
	}
	want := suites{Tests: 3, Failures: 1, Errors: 1, Skipped: 1, Suites: []suite{
		{Name: "dir/story.yaml", Tests: 1, Time: "0.900", Cases: []one{{
			Name: "story", ClassName: "dir.story", Time: "0.900",
			Failure: result{Message: "dir/story.yaml:11:3: BucketClaim/a: condition not met\uFFFD", Type: "assertion"},
		}}},
		{Name: "b.yaml", Tests: 2, Time: "2.000", Cases: []one{
			{Name: "skipped", ClassName: "b", Time: "0.000", Skipped: result{Message: "it needs an emulator"}},
			{Name: "broken", ClassName: "b", Time: "2.000", Error: result{Message: "b.yaml:7: no answer", Type: "environment"}},
		}},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	if !strings.Contains(out.String(), "\n      -  readyToUse: true\n") {
		t.Errorf("the failure is not explained:\n%s", out.String())
	}
}
