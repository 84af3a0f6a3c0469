package mutants

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/explore"
	"github.com/cosi-emu/cosi-emu/internal/explore/cause"
	"github.com/cosi-emu/cosi-emu/internal/explore/plan"
	"github.com/cosi-emu/cosi-emu/internal/recording"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// sample limits the mutants that the tests of this package try.
var sample = flag.Int("sample", 2, "number of mutants to try, selected by the seed in COSI_EMU_TEST_SEED; 0 means all")

// TestLongMutants verifies that exploration finds the bug of each mutant, and shrinks it to
// a few lines.
func TestLongMutants(t *testing.T) {
	for _, d := range harness.Draw(t, All(), *sample) {
		t.Run(d.Name, func(t *testing.T) {
			r := exploration(t, d.file(), explore.Options{
				Kinds: d.Kinds, At: d.At, Shrink: true, Emulator: emulator.Options{Implementations: d.Implementations},
			})
			for _, g := range r.Findings {
				t.Logf("%s: %s\nwhy: %s\ncases: %s\nconfirmed: %t, %d runs; shrunk in %d runs; run alone: %s\n%s",
					g.Oracle, g.Message, g.Why, g.Cases, g.Confirmed, g.Runs, g.Trials, g.Rerun, g.Shrunk)
			}
			named := func(g cause.Group) bool { return slices.Contains(d.Oracles, g.Oracle) }
			at := slices.IndexFunc(r.Findings, named)
			if at < 0 {
				t.Fatalf("%d of %d effects tried, not reached: %v; no finding of the oracles %v",
					r.Tried, r.Applicable, r.Unreached, d.Oracles)
			}
			isNamed := func(culprit string) bool { return strings.Contains(r.Findings[at].Why, culprit) }
			if !slices.ContainsFunc(d.Culprits, isNamed) {
				t.Errorf("why: %q, want one of %q", r.Findings[at].Why, d.Culprits)
			}
			if len(r.Findings) > 1 {
				t.Errorf("%d groups of findings, want one: it is one bug", len(r.Findings))
			}
			checkShrunk(t, r.Findings[at].Shrunk, mostLines)
			checkEvidence(t, &r.Findings[at])
		})
	}
}

// file returns the file of the scenario that shows the bug.
func (m Mutant) file() string {
	if m.Scenario != "" {
		return filepath.Join("testdata", m.Scenario)
	}
	return filepath.Join(root, lifecycle)
}

// mostLines is the maximum length of a shrunk scenario's steps. An interference needs steps that
// wait for its moment, and an existing bucket needs a Bucket.
const (
	mostLines                 = 12
	mostLinesWithInterference = 30
	mostLinesOfLife           = 60 // a race seldom happens again, so that few parts of its life can go
)

// checkShrunk expects a scenario of a few lines.
func checkShrunk(t *testing.T, text string, most int) {
	t.Helper()
	_, steps, _ := strings.Cut(text, "\nsteps:\n")
	if lines := strings.Count(steps, "\n"); lines == 0 || lines > most {
		t.Errorf("the steps have %d lines, want at most %d:\n%s", lines, most, text)
	}
	if _, err := (spec.Loader{}).Parse("shrunk.yaml", []byte(text)); err != nil {
		t.Errorf("invalid scenario: %v\n%s", err, text)
	}
}

// checkEvidence expects that the scenario run alone shows the bug, and that the recording
// and the timeline are complete.
func checkEvidence(t *testing.T, g *cause.Group) {
	t.Helper()
	if !g.Verified {
		t.Errorf("run alone, the scenario %s, want it to fail by %s", g.Rerun, g.Oracle)
	}
	recorded, err := recording.ReadFile(g.Recording)
	if err != nil {
		t.Error(err)
	} else if recorded.End == nil || len(recorded.Events) == 0 {
		t.Errorf("the recording has %d events, and its end is %+v, want a complete one", len(recorded.Events), recorded.End)
	}
	if page, err := os.ReadFile(g.Timeline); err != nil || !strings.Contains(string(page), "</html>") {
		t.Errorf("invalid timeline: %v", err)
	}
}

// TestLongWithoutMutations verifies that the components of the mutants, built by the same
// constructors without mutations, have no findings.
func TestLongWithoutMutations(t *testing.T) {
	for _, sound := range harness.Draw(t, []Mutant{
		ofController("controller", "", mutations{}), ofSidecar("sidecar", "", mutations{}),
		ofDriver("driver", "", func() substitution { return func(*fakedriver.Options) emulator.Server { return nil } }),
	}, *sample) {
		t.Run(sound.Name, func(t *testing.T) {
			var at []string
			for _, d := range All() {
				if replaced(d) == replaced(sound) && d.At != "" {
					at = append(at, d.At)
				}
			}
			for _, at := range slices.Compact(at) {
				r := exploration(t, sound.file(), explore.Options{
					Kinds: []plan.Kind{plan.Fail, plan.LoseReply, plan.CrashAfter}, At: at,
					Emulator: emulator.Options{Implementations: sound.Implementations},
				})
				if r.Tried == 0 {
					t.Errorf("nothing was tried at %s", at)
				}
				for _, g := range r.Findings {
					t.Errorf("%s: %s\nwhy: %s\ncases: %s", g.Oracle, g.Message, g.Why, g.Cases)
				}
			}
		})
	}
}

// replaced reports which components are replaced.
func replaced(d Mutant) [3]bool {
	i := d.Implementations
	return [3]bool{i.Controller != nil, i.Sidecar != nil, i.Driver != nil}
}

// sandboxes is the number of parallel runs.
const sandboxes = 2

// shrinkTimeout is enough for a few lines on a busy machine. The minimum takes longer.
const shrinkTimeout = 45 * time.Second

func exploration(t *testing.T, file string, opts explore.Options) *explore.Report {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	opts.File, opts.Text, opts.Sandboxes, opts.ShrinkTimeout = file, text, sandboxes, shrinkTimeout
	opts.Emulator.ControlPlaneKind = emulator.ControlPlaneEmbedded
	if len(opts.Kinds) == 0 {
		opts.At = "nothing" // the clean run shows the bug
	}
	opts.Out = t.TempDir()
	began := time.Now()
	opts.Progress = func(p explore.Progress) {
		t.Logf("%5.1f s: %s %d of %d %s", time.Since(began).Seconds(), p.Phase, p.Done, p.Total, p.Last)
	}
	r, err := explore.Explore(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
