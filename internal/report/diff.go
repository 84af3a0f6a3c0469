package report

import (
	"github.com/pmezard/go-difflib/difflib"
	"sigs.k8s.io/yaml"
)

// diffContext is how many equal lines are shown around a difference.
const diffContext = 3

// diff returns a unified diff from what was expected to what there was, or nothing
// if there is nothing to compare. Of objects it has only what the scenario speaks
// of; a program's output and golden files are compared as they are.
func diff(f Failure) string {
	if f.Expected == "" {
		return ""
	}
	expected, got := f.Expected, f.Got
	if len(f.Differences) > 0 {
		expected, got = sides(f)
	}
	text, err := difflib.GetUnifiedDiffString(difflib.UnifiedDiff{
		A: lines(expected), B: lines(got), FromFile: "expected", ToFile: "got", Context: diffContext,
	})
	if err != nil { // only of a writer that fails
		return ""
	}
	return text
}

// sides returns the two sides without what needs no comparing.
func sides(f Failure) (expected, got string) {
	var want, have any
	if yaml.Unmarshal([]byte(f.Expected), &want) != nil || yaml.Unmarshal([]byte(f.Got), &have) != nil {
		return f.Expected, f.Got
	}
	p := projection{differs: map[string]bool{}}
	for _, d := range f.Differences {
		p.differs[d.Path] = true
	}
	want, have = p.value("", want, have)
	return render(want), render(have)
}

func render(value any) string {
	if value == nil {
		return "(nothing)"
	}
	text, err := yaml.Marshal(value)
	if err != nil { // it was made from YAML
		return err.Error()
	}
	return string(text)
}

// lines splits a text; a last line that does not end is one like the others.
func lines(text string) []string {
	if text == "" {
		return nil
	}
	if text[len(text)-1] != '\n' {
		text += "\n"
	}
	all := difflib.SplitLines(text)
	return all[:len(all)-1] // an empty one is behind the last end
}
