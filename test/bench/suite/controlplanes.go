package suite

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/binaries"
	"github.com/cosi-emu/cosi-emu/test/bench/figure"
)

// The bars for the embedded control plane, relative to the programs.
const (
	barLifecycle = 0.5
	barExplore   = 1 / 1.9
	barScenarios = 0.6
)

const (
	// barSecondStart is how many milliseconds the second embedded start in a process may take.
	barSecondStart = 300
	// barMemoryOfAll is how many megabytes an emulator and all its processes may take on the
	// embedded control plane.
	barMemoryOfAll = 250

	// costRounds is how often lifecycles and explorations are measured.
	costRounds = 2
	// fewLifecycles are run, and as many runs explored, to know the cost of a start, which is
	// subtracted: connections are open and code has run.
	fewLifecycles = 8
)

// Exit codes of the program that report how scenarios have ended, and not that it failed.
const (
	exitPassed = 0
	exitFailed = 1
)

// both are the measurements of a thing on both control planes.
type both struct{ embedded, programs []time.Duration }

// add adds a measurement.
func (b *both) add(kind emulator.ControlPlaneKind, d time.Duration) {
	if kind == emulator.ControlPlaneEmbedded {
		b.embedded = append(b.embedded, d)
	} else {
		b.programs = append(b.programs, d)
	}
}

func (b *both) ratio(name string, bar float64, notes ...string) figure.Figure {
	return figure.Ratio(name, bar, figure.Times(b.embedded), figure.Times(b.programs), notes...)
}

// kinds are the control planes in the order in which they take turns.
var kinds = []emulator.ControlPlaneKind{emulator.ControlPlaneEnvtest, emulator.ControlPlaneEmbedded}

// measureControlPlanes measures the embedded control plane. The baseline is the same emulator
// with the programs.
func measureControlPlanes(ctx context.Context, opts Options, progress func(string)) ([]figure.Figure, error) {
	if _, err := binaries.Find(ctx, opts.Binaries); err != nil { // which is not part of a start
		return nil, err
	}
	var figures []figure.Figure
	for _, take := range []func(context.Context, Options, func(string)) ([]figure.Figure, error){
		comparePrograms, compareSecondStarts, compareLifecycles, compareExplorations, compareScenarios, compareMemory,
	} {
		more, err := take(ctx, opts, progress)
		if err != nil {
			return nil, err
		}
		figures = append(figures, more...)
	}
	return figures, nil
}

// inTurns measures on both control planes in turns. Round 0 is for practice.
func inTurns(what string, first, rounds int, progress func(string), measure func(kind emulator.ControlPlaneKind, round int) error) error {
	for round := first; round <= rounds; round++ {
		for _, kind := range kinds {
			progress(fmt.Sprintf("%s on %s, %s", what, kind, turn("round", round, rounds)))
			if err := measure(kind, round); err != nil {
				return fmt.Errorf("%s on %s: %w", what, kind, err)
			}
		}
	}
	return nil
}

func comparePrograms(ctx context.Context, opts Options, progress func(string)) ([]figure.Figure, error) {
	var times both
	err := inTurns("cosi-emu up", opts.firstStart(), opts.Starts, progress, func(kind emulator.ControlPlaneKind, round int) error {
		elapsed, err := timeStart(ctx, programStarter(opts.on(kind)))
		if err == nil && round > 0 {
			times.add(kind, elapsed)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return []figure.Figure{times.ratio("up to ready, `cosi-emu up -d`, embedded against envtest", barStartEmbedded)}, nil
}

// compareSecondStarts times the starts in this process after the first one.
func compareSecondStarts(ctx context.Context, opts Options, progress func(string)) ([]figure.Figure, error) {
	var times both
	err := inTurns("another start in this process", 0, opts.Starts, progress, func(kind emulator.ControlPlaneKind, round int) error {
		elapsed, err := timeStart(ctx, emulatorStarter(opts.on(kind), nil))
		if err == nil && round > 0 {
			times.add(kind, elapsed)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	measured, baseline := figure.Times(times.embedded), figure.Times(times.programs)
	f := figure.New("second start in a process, embedded", measured.Median, figure.UnitMilliseconds, barSecondStart,
		ratioNote(measured.Median, baseline.Median))
	f.Measured, f.Baseline = &measured, &baseline
	return []figure.Figure{f}, nil
}

// ratioNote gives a figure relative to envtest, for bars with another baseline.
func ratioNote(measured, baseline float64) string {
	return fmt.Sprintf("%s x of envtest", figure.Number(measured/baseline))
}

// compareLifecycles compares the processor time of the base lifecycle, of all processes.
func compareLifecycles(ctx context.Context, opts Options, progress func(string)) (figures []figure.Figure, err error) {
	few, err := lifecycles(fewLifecycles)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(few)) }()
	many, err := lifecycles(fewLifecycles + opts.Lifecycles)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(many)) }()
	var used both
	err = inTurns("lifecycles", 1, costRounds, progress, func(kind emulator.ControlPlaneKind, _ int) error {
		var costs [2]time.Duration
		for i, dir := range []string{few, many} {
			done, err := runScenarios(ctx, opts.on(kind), exitPassed, dir)
			if err != nil {
				return err
			}
			costs[i] = done.used
		}
		used.add(kind, each(costs[1]-costs[0], opts.Lifecycles))
		return nil
	})
	if err != nil {
		return nil, err
	}
	return []figure.Figure{used.ratio("processor time of a base lifecycle, embedded against envtest", barLifecycle,
		fmt.Sprintf("of all processes, from runs of %d and of %d lifecycles", fewLifecycles, fewLifecycles+opts.Lifecycles))}, nil
}

// each returns a share of what many have taken. The noise of a start, which was subtracted, may
// be more than a few have taken.
func each(total time.Duration, count int) time.Duration {
	return max(total/time.Duration(count), time.Microsecond)
}

// lifecycle is the scenario of deploy/explore.
//
//go:embed lifecycle.yaml
var lifecycle string

// lifecycles returns a new directory with copies of the base lifecycle, whose names differ.
func lifecycles(count int) (string, error) {
	dir, err := os.MkdirTemp("", "cosi-emu-bench-")
	if err != nil {
		return "", err
	}
	for i := range count {
		name := "lifecycle-" + strconv.Itoa(i)
		text := strings.Replace(lifecycle, "\nname: lifecycle\n", "\nname: "+name+"\n", 1)
		if err := os.WriteFile(filepath.Join(dir, name+".yaml"), []byte(text), 0o600); err != nil {
			return "", errors.Join(err, os.RemoveAll(dir))
		}
	}
	return dir, nil
}

// runScenarios runs `cosi-emu run`. An exit code above the worst one is an error.
func runScenarios(ctx context.Context, opts Options, worst int, args ...string) (execution, error) {
	done, err := execute(ctx, opts.Program, append(append([]string{"run"}, opts.controlPlaneFlags()...), args...)...)
	if err == nil && done.code > worst {
		err = done.failure()
	}
	return done, err
}

// compareScenarios compares the time of the scenarios that ship with the program, by the
// clock and with the start.
func compareScenarios(ctx context.Context, opts Options, progress func(string)) ([]figure.Figure, error) {
	args := []string{"--suite"}
	if opts.Scenario != "" {
		args = append(args, "--scenario="+opts.Scenario)
	}
	var elapsed both
	var notes []string
	err := inTurns("all scenarios", 1, 1, progress, func(kind emulator.ControlPlaneKind, _ int) error {
		done, err := runScenarios(ctx, opts.on(kind), exitFailed, args...)
		if err != nil {
			return err
		}
		elapsed.add(kind, done.elapsed)
		notes = append(notes, fmt.Sprintf("%s: %s; processor time of all processes %.1f s", kind, lastLine(done.out), done.used.Seconds()))
		return nil
	})
	if err != nil {
		return nil, err
	}
	return []figure.Figure{elapsed.ratio("`cosi-emu run --suite`, embedded against envtest", barScenarios, notes...)}, nil
}

// lastLine is the summary of a run.
func lastLine(out []byte) string {
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	return lines[len(lines)-1]
}

// exploration is what `cosi-emu explore -o json` prints.
type exploration struct {
	Runs      int               `json:"runs"`
	Sandboxes int               `json:"sandboxes"`
	Duration  time.Duration     `json:"duration"`
	Findings  []json.RawMessage `json:"findings"`

	used time.Duration
}

// compareExplorations compares the time of a run in an exploration of the base lifecycle. The
// time of the first runs, with the starts of the sandboxes, is subtracted.
func compareExplorations(ctx context.Context, opts Options, progress func(string)) (figures []figure.Figure, err error) {
	dir, err := lifecycles(1)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	var elapsed, used both
	var notes []string
	err = inTurns("exploration", 1, costRounds, progress, func(kind emulator.ControlPlaneKind, _ int) error {
		few, err := explore(ctx, opts.on(kind), dir, fewLifecycles)
		if err != nil {
			return err
		}
		many, err := explore(ctx, opts.on(kind), dir, fewLifecycles+opts.Lifecycles)
		if err != nil {
			return err
		}
		runs := many.Runs - few.Runs
		if runs <= 0 {
			return fmt.Errorf("a sample of %d faults has %d runs, and one of %d has %d",
				fewLifecycles, few.Runs, fewLifecycles+opts.Lifecycles, many.Runs)
		}
		perRun := each(many.Duration-few.Duration, runs)
		elapsed.add(kind, perRun)
		used.add(kind, each(many.used-few.used, runs))
		notes = append(notes, fmt.Sprintf("%s, %d at a time: %.1f runs/s, %d findings",
			kind, many.Sandboxes, 1/perRun.Seconds(), len(many.Findings)))
		return nil
	})
	if err != nil {
		return nil, err
	}
	rates := figure.Times(elapsed.programs).Median / figure.Times(elapsed.embedded).Median
	costs := used.ratio("", 0)
	notes = append(notes,
		fmt.Sprintf("runs/s on embedded: %s x those on envtest; the bar is %s x", figure.Number(rates), figure.Number(1/barExplore)),
		fmt.Sprintf("processor time of a run: %.0f ms on embedded, %.0f ms on envtest, %s x",
			costs.Measured.Median, costs.Baseline.Median, figure.Number(costs.Value)))
	const name = "time of a run when the base lifecycle is explored, embedded against envtest"
	return []figure.Figure{elapsed.ratio(name, barExplore, notes...)}, nil
}

// explore runs `cosi-emu explore` with a sample of faults.
func explore(ctx context.Context, opts Options, dir string, sample int) (exploration, error) {
	args := append([]string{"explore"}, opts.controlPlaneFlags()...)
	args = append(args, "--sample="+strconv.Itoa(sample), "--shrink=false", "--out="+dir, "--output=json",
		filepath.Join(dir, "lifecycle-0.yaml"))
	done, err := execute(ctx, opts.Program, args...)
	if err == nil && done.code > exitFailed {
		err = done.failure()
	}
	report := exploration{used: done.used}
	if err == nil {
		err = json.Unmarshal(done.out, &report)
	}
	return report, err
}

// compareMemory compares the memory of the emulator and all its processes.
func compareMemory(ctx context.Context, opts Options, progress func(string)) ([]figure.Figure, error) {
	measured := map[emulator.ControlPlaneKind]float64{}
	err := inTurns("memory", 1, 1, progress, func(kind emulator.ControlPlaneKind, _ int) error {
		_, err := withProgram(ctx, opts.on(kind), func(p *program, t *target) ([]figure.Figure, error) {
			if err := t.createLoad(ctx, opts.LoadedClaims); err != nil {
				return nil, err
			}
			all, err := residentMemoryOfAll(ctx, p.info.PID)
			measured[kind] = float64(all) / megabyte
			return nil, err
		})
		return err
	})
	if err != nil {
		return nil, err
	}
	embedded, programs := measured[emulator.ControlPlaneEmbedded], measured[emulator.ControlPlaneEnvtest]
	return []figure.Figure{figure.New(fmt.Sprintf("resident memory of all processes, %d claims with accesses, embedded", opts.LoadedClaims),
		embedded, figure.UnitMegabytes, barMemoryOfAll,
		fmt.Sprintf("envtest: %.0f MB; %s", programs, ratioNote(embedded, programs)))}, nil
}
