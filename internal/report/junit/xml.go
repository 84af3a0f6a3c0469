package junit

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

type (
	counts struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Errors   int `xml:"errors,attr"`
		Skipped  int `xml:"skipped,attr"`
	}

	suites struct {
		XMLName xml.Name `xml:"testsuites"`
		Name    string   `xml:"name,attr"`
		counts

		Time   string  `xml:"time,attr"`
		Suites []suite `xml:"testsuite"`
	}

	suite struct {
		Name string `xml:"name,attr"`
		File string `xml:"file,attr,omitempty"`
		counts

		Time      string     `xml:"time,attr"`
		Timestamp string     `xml:"timestamp,attr,omitempty"`
		Cases     []testCase `xml:"testcase"`
	}

	testCase struct {
		Name       string      `xml:"name,attr"`
		ClassName  string      `xml:"classname,attr"`
		File       string      `xml:"file,attr,omitempty"`
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

func encode(w io.Writer, all suites) error {
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	encoder := xml.NewEncoder(w)
	encoder.Indent("", "  ")
	if err := encoder.Encode(all); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func (r Report) suites() suites {
	all := suites{Name: r.Name, Time: seconds(r.Took)}
	for _, s := range r.Suites {
		one := s.suite()
		all.Tests += one.Tests
		all.Failures += one.Failures
		all.Errors += one.Errors
		all.Skipped += one.Skipped
		all.Suites = append(all.Suites, one)
	}
	return all
}

func (s Suite) suite() suite {
	one := suite{Name: s.Name, File: s.File, counts: counts{Tests: len(s.Cases)}}
	if !s.Started.IsZero() {
		one.Timestamp = s.Started.UTC().Format("2006-01-02T15:04:05")
	}
	var took time.Duration
	for _, c := range s.Cases {
		took += c.Took
		one.Failures += count(c.Failure)
		one.Errors += count(c.Error)
		one.Skipped += count(c.Skipped)
		one.Cases = append(one.Cases, testCase{
			Name: c.Name, ClassName: c.Class, File: c.File, Line: c.Line, Time: seconds(c.Took), Properties: propertiesOf(c.Labels),
			Failure: c.Failure.element(), Error: c.Error.element(), Skipped: c.Skipped.element(),
		})
	}
	one.Time = seconds(took)
	return one
}

func count(r *Result) int {
	if r == nil {
		return 0
	}
	return 1
}

func (r *Result) element() *result {
	if r == nil {
		return nil
	}
	return &result{Message: r.Message, Type: r.Type, Text: strings.Map(inXML, r.Text)}
}

func propertiesOf(labels map[string]string) *properties {
	if len(labels) == 0 {
		return nil
	}
	all := &properties{}
	for name, value := range labels {
		all.Properties = append(all.Properties, property{name, value})
	}
	slices.SortFunc(all.Properties, func(a, b property) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

// inXML drops characters that XML 1.0 cannot hold: encoding/xml does not clean CDATA.
func inXML(r rune) rune {
	if r < ' ' && r != '\n' && r != '\t' || r == 0xFFFE || r == 0xFFFF {
		return -1
	}
	return r
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.3f", d.Seconds()) }
