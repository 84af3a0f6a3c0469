package conformance_test

import (
	"encoding/xml"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/conformance"
)

// TestJUnit verifies which results fail a build: of checks that a driver must pass, and those without
// an answer.
func TestJUnit(t *testing.T) {
	result := func(id, level, state string) conformance.Result {
		return conformance.Result{
			Check: conformance.Check{ID: id, Title: "It works", Profile: "Core", Level: level}, State: state, Reason: "x", Took: time.Second,
		}
	}
	report := &conformance.Report{
		Verdicts: []conformance.Verdict{{Profile: "Core"}},
		Results: []conformance.Result{
			result("A-1", "MUST", conformance.Pass), result("A-2", "MUST", conformance.Fail), result("A-3", "SHOULD", conformance.Fail),
			result("A-4", "SHOULD", conformance.NotReached), result("A-5", "MUST", conformance.NotSupported),
		},
	}
	var out strings.Builder
	if err := report.WriteJUnit(&out); err != nil {
		t.Fatal(err)
	}
	type element struct{}
	type testCase struct {
		Name    string   `xml:"name,attr"`
		Class   string   `xml:"classname,attr"`
		Failure *element `xml:"failure"`
		Error   *element `xml:"error"`
		Skipped *element `xml:"skipped"`
	}
	type suite struct {
		Tests    int        `xml:"tests,attr"`
		Failures int        `xml:"failures,attr"`
		Errors   int        `xml:"errors,attr"`
		Skipped  int        `xml:"skipped,attr"`
		Time     string     `xml:"time,attr"`
		Cases    []testCase `xml:"testcase"`
	}
	var got struct {
		Suites []suite `xml:"testsuite"`
	}
	if err := xml.Unmarshal([]byte(out.String()), &got); err != nil {
		t.Fatalf("it is not XML: %v\n%s", err, out.String())
	}
	want := []suite{{Tests: 5, Failures: 1, Errors: 1, Skipped: 2, Time: "5.000", Cases: []testCase{
		{Name: "A-1 It works", Class: "conformance.Core"},
		{Name: "A-2 It works", Class: "conformance.Core", Failure: &element{}},
		{Name: "A-3 It works", Class: "conformance.Core", Skipped: &element{}},
		{Name: "A-4 It works", Class: "conformance.Core", Error: &element{}},
		{Name: "A-5 It works", Class: "conformance.Core", Skipped: &element{}},
	}}}
	if diff := cmp.Diff(want, got.Suites); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}
