package run

import (
	"regexp"
	"strings"

	"github.com/cosi-emu/cosi-emu/internal/oracle/checks"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
)

// Baseline are the findings of the runs without faults. No fault is their cause, so that the judgement
// of other runs leaves them out. Its zero value is empty.
type Baseline struct {
	keys map[string]bool
}

// Add adds findings, and reports whether one was new.
func (b *Baseline) Add(found []checks.Finding) (added bool) {
	for _, f := range found {
		key := baselineKey(f)
		if b.keys[key] {
			continue
		}
		if b.keys == nil {
			b.keys = map[string]bool{}
		}
		b.keys[key], added = true, true
	}
	return added
}

// Has reports whether a run without faults had a finding of the same oracle about the same object, of
// the same kind. A nil baseline has none.
func (b *Baseline) Has(f checks.Finding) bool { return b != nil && b.keys[baselineKey(f)] }

// baselineKey names a finding. A failed step is one finding, whatever its message: a fault can change how
// long the step waits, and which differences it shows. A lack of silence is one finding, too, whatever the last
// operation was.
func baselineKey(f checks.Finding) string {
	switch position := stepPosition.FindString(f.Message); {
	case f.Oracle == OracleSteps && position != "":
		return f.Oracle + "\n" + position
	case f.Oracle == vocabulary.Silence:
		return f.Oracle
	}
	return strings.Join([]string{f.Oracle, f.Subject, Normalized(f.Message)}, "\n")
}

var stepPosition = regexp.MustCompile(`^\S+:\d+:\d+: `)

// maskings replace details that differ between findings of the same kind.
var maskings = []struct {
	pattern *regexp.Regexp
	by      string
}{
	{regexp.MustCompile(` \(meanwhile: .*\)$`), ""},
	{regexp.MustCompile(`, which the starved machine stretched to [0-9a-zµ.]+`), ""},
	{regexp.MustCompile(`condition not met, and all components are idle`), "condition not met"},
	{regexp.MustCompile(` after \d[0-9a-zµ.]*`), ""},
	{regexp.MustCompile(`\S+:\d+:\d+: `), ""},
	{regexp.MustCompile(`\.[0-9a-f]{14,}\b`), ".…"},                 // the timestamp in the name of an Event
	{regexp.MustCompile(`\b(sidecar|driver|bridge)\.[^ :]+`), "$1"}, // of one of several drivers
	{regexp.MustCompile(`"[^"]*"`), `"…"`},
	{regexp.MustCompile(`<[^<>]*>`), "…"},
	{regexp.MustCompile(`\d+`), "0"},
}

// Normalized returns a message without details that differ between findings of the same kind: names
// in quotes, numbers, times and places in files.
func Normalized(message string) string {
	for _, m := range maskings {
		message = m.pattern.ReplaceAllString(message, m.by)
	}
	return message
}
