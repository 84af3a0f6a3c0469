package shrink

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cosi-emu/cosi-emu/internal/explore/cause"
	"github.com/cosi-emu/cosi-emu/internal/explore/run"
	"github.com/cosi-emu/cosi-emu/internal/explore/sandbox"
	"github.com/cosi-emu/cosi-emu/internal/recording"
	"github.com/cosi-emu/cosi-emu/internal/recording/recorder"
	"github.com/cosi-emu/cosi-emu/internal/report"
	"github.com/cosi-emu/cosi-emu/internal/report/timeline"
	"github.com/cosi-emu/cosi-emu/internal/scenario/engine"
	"github.com/cosi-emu/cosi-emu/internal/scenario/runner"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
)

const (
	dirMode  = 0o700
	fileMode = 0o600

	timelineExtension = ".html"
)

// verifyingRuns is the maximum number of runs of a shrunk scenario until it fails by its oracle.
const verifyingRuns = 3

// keep writes the smallest candidate that also fails when it is run alone. If there is a
// race, a smaller candidate may fail only rarely. If no candidate fails alone, keep writes
// the smallest.
func (s *shrinker) keep(ctx context.Context, line []candidate, name string) error {
	g := s.group
	smallest := line[len(line)-1]
	if s.options.Out == "" || run.Compared(g.Oracle) || len(line) == 1 {
		return s.keepOne(ctx, smallest, name)
	}
	for _, at := range backwards(len(line)) {
		if err := s.keepOne(ctx, line[at], name); err != nil || g.Verified {
			return err
		}
	}
	return s.keepOne(ctx, smallest, name)
}

// backwards returns some indexes below n, from the last to the first, in growing strides.
func backwards(n int) []int {
	var places []int
	for at, stride := n-1, 1; at > 0; at, stride = at-stride, 2*stride {
		places = append(places, at)
	}
	return append(places, 0)
}

// keepOne writes a candidate as the shrunk scenario of a group. It runs the scenario as
// 'cosi-emu run' does, with the oracles of the engine. It writes the recording and the
// timeline of that run next to the scenario.
func (s *shrinker) keepOne(ctx context.Context, c candidate, name string) error {
	g := s.group
	text, err := c.render(*g)
	if err != nil {
		return err
	}
	g.Shrunk = string(text)
	if g.File, err = Write(s.options.Out, name, text); err != nil || g.File == "" {
		return err
	}
	all, err := spec.Loader{}.Parse(g.File, []byte(g.Shrunk))
	if err != nil { // it uses files of other directories
		g.Rerun = fmt.Sprintf("is invalid: %s", err)
		return nil
	}
	return s.verifyAll(ctx, all, filepath.Join(s.options.Out, name))
}

// Write writes a scenario to a directory, which it creates if it is missing, and returns the file. If the directory has no name, it
// writes nothing.
func Write(dir, name string, text []byte) (file string, err error) {
	if dir == "" {
		return "", nil
	}
	if err := os.MkdirAll(dir, dirMode); err != nil {
		return "", fmt.Errorf("create the output directory: %w", err)
	}
	file = filepath.Join(dir, name+".yaml")
	if err := os.WriteFile(file, text, fileMode); err != nil {
		return "", fmt.Errorf("write the scenario: %w", err)
	}
	return file, nil
}

// verifyAll runs the shrunk scenario until it fails by the oracle of the group, at most verifyingRuns times.
func (s *shrinker) verifyAll(ctx context.Context, all []*spec.Scenario, base string) error {
	g := s.group
	return s.options.Pool.Lend(ctx, func(w *sandbox.Sandbox) (*sandbox.Sandbox, error) {
		for range verifyingRuns {
			shown, err := s.rerun(ctx, w, all, base)
			if err != nil {
				return w, err
			}
			g.Shown = shown.Scenarios[0]
			if g.Recording = shown.Scenarios[0].Recording; g.Recording != "" {
				g.Timeline = base + timelineExtension
			}
			verify(g, shown)
			if w, err = s.options.Pool.ResetAfter(ctx, w, &run.Record{TornDown: true}); err != nil || g.Verified {
				return w, errors.Join(err, ctx.Err())
			}
		}
		return w, nil
	})
}

// rerun runs a scenario as 'cosi-emu run' does, and writes its recording and timeline.
func (s *shrinker) rerun(ctx context.Context, w *sandbox.Sandbox, all []*spec.Scenario, base string) (shown report.Report, err error) {
	dir, err := os.MkdirTemp(filepath.Dir(base), ".recording-")
	if err != nil {
		return shown, fmt.Errorf("create a directory for the recording: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	recorder := recorder.New(w.Emulator, recorder.Options{Dir: dir, All: true, Program: s.options.Version})
	alone := runner.Runner{
		Engine: engine.New(w.Emulator, engine.Options{Observer: recorder}), Journal: w.Emulator.Journal(), Version: s.options.Version,
	}
	shown = alone.Run(ctx, all)
	if err := errors.Join(ctx.Err(), recorder.Err()); err != nil {
		return shown, err
	}
	path := recorder.Path(all[0].Name)
	if path == "" {
		return shown, nil // it was skipped
	}
	if err := os.Rename(path, base+recording.Extension); err != nil {
		return shown, fmt.Errorf("save the recording of %s: %w", all[0].Name, err)
	}
	shown.Scenarios[0].Recording = base + recording.Extension
	return shown, s.writeTimeline(base+timelineExtension, shown)
}

func (s *shrinker) writeTimeline(file string, shown report.Report) (err error) {
	out, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, fileMode)
	if err != nil {
		return fmt.Errorf("write the timeline: %w", err)
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	return timeline.WriteAs(out, shown, timeline.Presentation{Program: s.options.Program})
}

// verify records whether a run of the shrunk scenario failed by the oracle of the group.
func verify(g *cause.Group, shown report.Report) {
	var oracles []string
	for _, failure := range shown.Scenarios[0].Failures {
		name := failure.Oracle
		switch {
		case name != "" || failure.Broken:
		case failure.Step != nil:
			name = run.OracleSteps
		default: // an object that the clean-up cannot delete
			name = run.OracleDeletable
		}
		if name != "" && !slices.Contains(oracles, name) {
			oracles = append(oracles, name)
		}
	}
	g.Verified = slices.Contains(oracles, g.Oracle)
	g.Rerun = string(shown.Outcome)
	if len(oracles) > 0 {
		g.Rerun += " by " + strings.Join(oracles, ", ")
	}
}
