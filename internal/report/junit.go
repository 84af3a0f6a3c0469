package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
)

// The elements of a JUnit report, in the form of Maven Surefire, which Jenkins and GitLab read. A
// file is a test suite, a scenario is a test case.
type (
	testSuites struct {
		XMLName  xml.Name     `xml:"testsuites"`
		Name     string       `xml:"name,attr"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Errors   int          `xml:"errors,attr"`
		Skipped  int          `xml:"skipped,attr"`
		Time     string       `xml:"time,attr"`
		Suites   []*testSuite `xml:"testsuite"`
	}

	testSuite struct {
		Name      string     `xml:"name,attr"`
		File      string     `xml:"file,attr"`
		Tests     int        `xml:"tests,attr"`
		Failures  int        `xml:"failures,attr"`
		Errors    int        `xml:"errors,attr"`
		Skipped   int        `xml:"skipped,attr"`
		Time      string     `xml:"time,attr"`
		Timestamp string     `xml:"timestamp,attr"`
		Cases     []testCase `xml:"testcase"`

		took time.Duration
	}

	testCase struct {
		Name       string      `xml:"name,attr"`
		ClassName  string      `xml:"classname,attr"`
		File       string      `xml:"file,attr"`
		Line       int         `xml:"line,attr,omitempty"`
		Time       string      `xml:"time,attr"`
		Properties *properties `xml:"properties"`
		Skipped    *result     `xml:"skipped"`
		Failure    *result     `xml:"failure"`
		Error      *result     `xml:"error"`
	}

	properties struct {
		Properties []property `xml:"property"`
	}

	property struct {
		Name  string `xml:"name,attr"`
		Value string `xml:"value,attr"`
	}

	result struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr,omitempty"`
		Text    string `xml:",cdata"`
	}
)

// WriteJUnit writes the report as JUnit XML. Text explains the failures.
func (r Report) WriteJUnit(w io.Writer, text Text) error {
	all := testSuites{
		Name: "cosi-emu", Tests: len(r.Scenarios), Failures: r.Counts[outcome.Failed], Errors: r.Counts[outcome.Broken],
		Skipped: r.Counts[outcome.Skipped], Time: junitTime(r.Duration),
	}
	for i := range r.Scenarios {
		all.add(r.Scenarios[i], text)
	}
	for _, suite := range all.Suites {
		suite.Time = junitTime(suite.took)
	}
	encoder := xml.NewEncoder(w)
	encoder.Indent("", "  ")
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	if err := encoder.Encode(all); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func (all *testSuites) add(s Scenario, text Text) {
	i := slices.IndexFunc(all.Suites, func(suite *testSuite) bool { return suite.File == s.Position.File })
	if i < 0 {
		i = len(all.Suites)
		all.Suites = append(all.Suites, &testSuite{
			Name: s.Position.File, File: s.Position.File, Timestamp: s.Started.UTC().Format("2006-01-02T15:04:05"),
		})
	}
	suite := all.Suites[i]
	suite.took += s.Duration
	suite.Tests++
	one := testCase{
		Name: s.Name, ClassName: className(s.Position.File), File: s.Position.File, Line: s.Position.Line, Time: junitTime(s.Duration),
		Properties: propertiesOf(s.Labels),
	}
	switch s.Outcome {
	case outcome.Skipped:
		suite.Skipped++
		one.Skipped = &result{Message: s.Reason}
	case outcome.Failed:
		suite.Failures++
		one.Failure = resultOf(s, "assertion", text)
	case outcome.Broken:
		suite.Errors++
		one.Error = resultOf(s, "environment", text)
	case outcome.Passed:
	}
	suite.Cases = append(suite.Cases, one)
}

func resultOf(s Scenario, kind string, text Text) *result {
	v := &result{Type: kind}
	if len(s.Failures) > 0 {
		v.Message = fmt.Sprintf("%s: %s", s.Failures[0].Position, firstLine(s.Failures[0].Message))
	}
	var explained strings.Builder
	text.scenario(&explained, &s)
	v.Text = strings.Map(inXML, explained.String())
	return v
}

func propertiesOf(labels map[string]string) *properties {
	if len(labels) == 0 {
		return nil
	}
	all := &properties{}
	for name, value := range labels {
		all.Properties = append(all.Properties, property{name, value})
	}
	slices.SortFunc(all.Properties, func(a, b property) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// className turns the file into a class, by which Jenkins groups.
func className(file string) string {
	return strings.ReplaceAll(strings.Trim(strings.TrimSuffix(strings.TrimSuffix(file, ".yaml"), ".yml"), "./"), "/", ".")
}

// inXML drops characters that XML 1.0 cannot hold: encoding/xml does not clean CDATA.
func inXML(r rune) rune {
	if r < ' ' && r != '\n' && r != '\t' || r == 0xFFFE || r == 0xFFFF {
		return -1
	}
	return r
}

func junitTime(d time.Duration) string { return fmt.Sprintf("%.3f", d.Seconds()) }
