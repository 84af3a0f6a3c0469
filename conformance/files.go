package conformance

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/cosi-emu/cosi-emu/internal/conformance/checks"
	"github.com/cosi-emu/cosi-emu/internal/report/junit"
)

// The files of a report.
const (
	FileReport = "report.yaml"
	FileHTML   = "report.html"
	FileJUnit  = "junit.xml"
	FileBadge  = "badge.json"
)

const (
	dirMode  = 0o755
	fileMode = 0o644
)

// Save writes report.yaml, report.html, junit.xml and badge.json to a directory, which it
// creates.
func (r *Report) Save(dir string) error {
	if err := os.MkdirAll(dir, dirMode); err != nil {
		return err
	}
	for name, write := range map[string]func(io.Writer) error{
		FileReport: r.WriteYAML, FileHTML: r.WriteHTML, FileJUnit: r.WriteJUnit, FileBadge: r.WriteBadge,
	} {
		if err := WriteFile(filepath.Join(dir, name), write); err != nil {
			return err
		}
	}
	return nil
}

// WriteFile writes a file.
func WriteFile(path string, write func(io.Writer) error) error {
	var b strings.Builder
	if err := write(&b); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(b.String()), fileMode)
}

// WriteYAML writes the whole report.
func (r *Report) WriteYAML(w io.Writer) error {
	text, err := yaml.Marshal(r)
	if err != nil {
		return err
	}
	_, err = w.Write(text)
	return err
}

// WriteJUnit writes the report as JUnit XML, one suite a profile. A SHOULD check that failed
// counts as skipped: it does not decide about the verdict.
func (r *Report) WriteJUnit(w io.Writer) error {
	all := junit.Report{Name: "conformance", Took: r.Took}
	for _, verdict := range r.Verdicts {
		suite := junit.Suite{Name: verdict.Profile}
		for i := range r.Results {
			if r.Results[i].Check.Profile == verdict.Profile {
				suite.Cases = append(suite.Cases, testCase(&r.Results[i]))
			}
		}
		all.Suites = append(all.Suites, suite)
	}
	if r.Problem != "" { // the driver could not be tested
		all.Suites = append(all.Suites, junit.Suite{Name: "Driver", Cases: []junit.Case{{
			Name: "The driver can be tested", Class: "conformance.Driver", Error: &junit.Result{Message: r.Problem, Text: r.problem()},
		}}})
	}
	return all.Write(w)
}

func testCase(r *Result) junit.Case {
	one := junit.Case{Name: r.Check.ID + " " + r.Check.Title, Class: "conformance." + r.Check.Profile, Took: r.Took}
	detail := &junit.Result{Message: r.summary(), Text: r.Explain()}
	switch {
	case r.State == Pass:
	case r.State == Fail && r.Check.Level == "MUST":
		one.Failure = detail
	case r.State == NotReached:
		one.Error = detail
	default:
		one.Skipped = detail
	}
	return one
}

// summary is a result in one line.
func (r Result) summary() string {
	if r.Failure != nil {
		return fmt.Sprintf("expected %s, got %s", r.Failure.Expected, r.Failure.Got)
	}
	return r.State + ": " + r.Reason
}

// WriteBadge writes the JSON of an endpoint badge of shields.io.
func (r *Report) WriteBadge(w io.Writer) error {
	message, color := strings.Join(r.conformant(), ", "), "brightgreen"
	switch {
	case r.untested():
		message, color = NotTested, "lightgrey"
	case message == "":
		message, color = r.worst(), "red"
	}
	if message == Unproved {
		color = "lightgrey"
	}
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(map[string]any{"schemaVersion": 1, "label": "COSI conformance", "message": message, "color": color})
}

// conformant returns the profiles that the driver conforms to.
func (r *Report) conformant() []string {
	var profiles []string
	for _, v := range r.Verdicts {
		if v.Verdict == Conformant {
			profiles = append(profiles, v.Profile)
		}
	}
	return profiles
}

// WriteMarkdown writes a summary, for GITHUB_STEP_SUMMARY.
func (r *Report) WriteMarkdown(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "## COSI conformance of %s (%s)\n\n"+
		"| profile | verdict | pass | fail | not reached | not proved | skipped | not supported |\n"+
		"| --- | --- | --- | --- | --- | --- | --- | --- |\n", r.name(), r.Dialect.Protocol())
	for _, v := range r.Verdicts {
		fmt.Fprintf(&b, "| %s | %s | %d | %d | %d | %d | %d | %d |\n", v.Profile, v.Verdict,
			v.Counts[Pass], v.Counts[Fail], v.Counts[NotReached], v.Counts[NotProved], v.Counts[Skipped], v.Counts[NotSupported])
	}
	if r.Slow != "" {
		fmt.Fprintf(&b, "\n%s\n", r.Slow)
	}
	if r.Problem != "" {
		fmt.Fprintf(&b, "\n%s\n", r.problem())
	}
	if len(r.Differences) > 0 {
		fmt.Fprintf(&b, "\n%s:\n\n| subject | %s | kep |\n| --- | --- | --- |\n", differencesHeading, r.Dialect)
	}
	for _, d := range r.Differences {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", d.Subject, d.Dialect, d.KEP)
	}
	if len(r.FixFirst) > 0 {
		b.WriteString("\nFix first:\n\n")
		for _, id := range r.FixFirst {
			result := r.find(id)
			fmt.Fprintf(&b, "- **%s** %s: %s\n", id, result.Check.Title, result.summary())
		}
	}
	fmt.Fprintf(&b, "\nSeed `%s`.\n", r.Seed)
	_, err := io.WriteString(w, b.String())
	return err
}

// problem returns the problem as a sentence.
func (r *Report) problem() string {
	if r.untested() {
		return "The driver could not be tested: " + r.Problem
	}
	return "The driver could not be tested to the end: " + r.Problem
}

const differencesHeading = "Differences from the KEP, which cosi-emu's bridge translates (docs/bridge.md)"

func (r *Report) find(id string) *Result {
	return &r.Results[slices.IndexFunc(r.Results, func(result Result) bool { return result.Check.ID == id })]
}

// WriteChecks writes a table of all checks in Markdown.
func WriteChecks(w io.Writer) error {
	var b strings.Builder
	for _, profile := range Profiles() {
		fmt.Fprintf(&b, "### %s\n\n| ID | level | required behaviour | dialects | catches | rests on |\n"+
			"| --- | --- | --- | --- | --- | --- |\n", profile)
		for _, c := range checks.All() {
			if c.Profile == profile {
				fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | \"%s\" ([%s](%s)) |\n", c.ID, c.Level, c.Title, c.Dialects,
					strings.Join(c.Classes, ", "), c.Sentence, c.Source.Name, c.Link())
			}
		}
		b.WriteByte('\n')
	}
	_, err := io.WriteString(w, strings.TrimRight(b.String(), "\n")+"\n")
	return err
}
