package oracle

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator"
)

// observeTimeout limits the observation at the end of a test.
const observeTimeout = 2 * time.Minute

// Watch judges the rest of a test: at its end, before the emulator stops, the run is observed, and each
// finding of the oracles, by default of all, fails the test. The test has to delete what it creates if its
// leaks are to be judged.
func Watch(tb testing.TB, emu *emulator.Emulator, oracles ...string) *Run {
	tb.Helper()
	run, err := Start(tb.Context(), emu)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		defer run.Close()
		ctx, cancel := context.WithTimeout(context.Background(), observeTimeout)
		defer cancel()
		if err := run.Observe(ctx, "at the end of the test"); err != nil {
			tb.Error(err)
		}
		found, err := run.Findings(oracles...)
		if err != nil {
			tb.Error(err)
		}
		for _, f := range found {
			tb.Errorf("%s%s", f, linesOf(f))
		}
	})
	return run
}

// linesOf returns the events of a finding, each in a line.
func linesOf(f Finding) string {
	var lines strings.Builder
	for _, e := range f.Events {
		lines.WriteString("\n\t" + e.String())
	}
	return lines.String()
}
