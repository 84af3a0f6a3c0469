package bench

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestReport(t *testing.T) {
	t.Parallel()
	fast, slow := spread([]time.Duration{2e6}), spread([]time.Duration{5e6})
	report := Report{Platform: "plan9/arm", CPUs: 1, Figures: []Figure{
		ratio("good", 2.5, slow, fast, "as it should be"),
		ratio("bad", 2.4, slow, fast),
		Figure{}.result("silence", 0, unitCrossings, 0, nil),
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

func TestOptions(t *testing.T) {
	t.Parallel()
	good := Options{Starts: 1, Claims: 1, Crowd: 1, Window: time.Second}
	cases := map[string]struct {
		reason string
		spoil  func(*Options)
	}{
		"Starts": {"no start has no median", func(o *Options) { o.Starts = 0 }},
		"Claims": {"no claim has no median", func(o *Options) { o.Claims = -1 }},
		"Crowd":  {"an empty emulator is silent anyway", func(o *Options) { o.Crowd = 0 }},
		"Window": {"there is always silence for no time", func(o *Options) { o.Window = 0 }},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			opts := good
			c.spoil(&opts)
			if _, err := Run(context.Background(), opts); !errors.Is(err, ErrOptions) {
				t.Errorf("%s: Run returns %v, not ErrOptions", c.reason, err)
			}
		})
	}
}
