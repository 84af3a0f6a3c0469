package figure

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestReport(t *testing.T) {
	t.Parallel()
	fast, slow := Times([]time.Duration{2e6}), Times([]time.Duration{5e6})
	report := Report{Platform: "plan9/arm", CPUs: 1, Figures: []Figure{
		Ratio("good", 2.5, slow, fast, "as it should be"),
		Ratio("bad", 2.4, slow, fast),
		New("silence", 0, UnitOperations, 0),
	}}
	if diff := cmp.Diff([]string{"bad"}, report.Missed()); diff != "" {
		t.Errorf("a bar that is just reached is met: -want, +got:\n%s", diff)
	}
	var text strings.Builder
	if err := report.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	want := `FIGURE   MEASURED                         BASELINE                         RESULT              BAR  MET
good     5.0 ms (5.0 to 5.0, 1 times)  2.0 ms (2.0 to 2.0, 1 times)  2.5 x               2.5  yes
bad      5.0 ms (5.0 to 5.0, 1 times)  2.0 ms (2.0 to 2.0, 1 times)  2.5 x               2.4  NO
silence  -                                -                                0 writes and calls  0    yes

plan9/arm, 1 CPUs; times are medians (and the fastest and slowest).

good
  as it should be
`
	got := text.String()
	if diff := cmp.Diff(fieldsOf(want), fieldsOf(got)); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

// fieldsOf leaves the alignment of a table to those who make it.
func fieldsOf(text string) [][]string {
	var lines [][]string
	for line := range strings.Lines(text) {
		lines = append(lines, strings.Fields(line))
	}
	return lines
}
