package report

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
)

var markdownOutcomes = []outcome.Outcome{outcome.Passed, outcome.Failed, outcome.Broken, outcome.Skipped}

// WriteMarkdown writes a summary, for GITHUB_STEP_SUMMARY: the number of scenarios of each outcome, and
// the reason of each that did not pass, with its circumstances.
func (r Report) WriteMarkdown(w io.Writer, title string) error {
	var b strings.Builder
	fmt.Fprintf(&b, "## %s\n\n|", title)
	for _, outcome := range markdownOutcomes {
		fmt.Fprintf(&b, " %s |", outcome)
	}
	b.WriteString("\n|" + strings.Repeat(" --- |", len(markdownOutcomes)) + "\n|")
	for _, outcome := range markdownOutcomes {
		fmt.Fprintf(&b, " %d |", r.Counts[outcome])
	}
	b.WriteString("\n")
	first := true
	for i := range r.Scenarios {
		s := &r.Scenarios[i]
		if len(s.Failures) == 0 {
			continue
		}
		if first {
			b.WriteString("\n")
			first = false
		}
		fmt.Fprintf(&b, "- **%s** (%s): %s\n", markdown(s.Name), markdown(s.Position.String()), markdown(cmp.Or(s.Failures[0].Message, s.Reason)))
		for _, note := range s.Failures[0].Notes {
			fmt.Fprintf(&b, "  - %s\n", markdown(note))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// markdown escapes a text and renders it in one line.
func markdown(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	return strings.NewReplacer("\\", "\\\\", "*", "\\*", "_", "\\_", "`", "\\`", "[", "\\[", "<", "&lt;", "|", "\\|").Replace(text)
}
