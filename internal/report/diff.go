package report

import (
	"github.com/pmezard/go-difflib/difflib"
	"sigs.k8s.io/yaml"
)

// diffContext is the number of equal lines around a difference.
const diffContext = 3

// diff returns a unified diff from the expected to the actual value, or "" without values. For
// objects, it shows only the fields in the scenario; it compares a program's output and golden
// files unchanged.
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
	if err != nil { // only a failing writer returns an error
		return ""
	}
	return text
}

// sides returns the two sides without parts that need no comparison.
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

// lines splits a text into lines. The last line need not end with a newline.
func lines(text string) []string {
	if text == "" {
		return nil
	}
	if text[len(text)-1] != '\n' {
		text += "\n"
	}
	all := difflib.SplitLines(text)
	return all[:len(all)-1] // drop the empty part after the last newline
}
