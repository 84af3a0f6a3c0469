package differential

import (
	"context"
	"flag"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/apis/crds"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/internal/controlplane"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/controlplanetest"
	planekind "github.com/cosi-emu/cosi-emu/internal/controlplane/kind"
	"github.com/cosi-emu/cosi-emu/internal/replay"
	"github.com/cosi-emu/cosi-emu/internal/scenario/engine"
	"github.com/cosi-emu/cosi-emu/internal/scenario/loader"
	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// attempts is how often a scenario is run on each control plane, until two runs are equal.
// Which of two components is first is left to chance on both.
var attempts = flag.Int("attempts", 8, "number of runs of a scenario on each control plane, until two are equal")

// scenarios limits the scenarios of TestLongScenarios, which take an hour together. A few take
// less than a minute.
var scenarios = flag.Int("scenarios", 3, "number of scenarios, selected by the seed in COSI_EMU_TEST_SEED; 0 means all")

// patience is for machines that do other things, too.
const patience = 6

// TestProgramsScenarios runs the scenarios of one area on both control planes. The operations of the
// components, their outcomes, and the objects that they wrote last have to be the same.
func TestProgramsScenarios(t *testing.T) {
	sameScenarios(t, slices.DeleteFunc(suite(t), func(s *spec.Scenario) bool { return !isIn(s, "steady") }))
}

// TestLongScenarios is TestProgramsScenarios with scenarios of all areas.
func TestLongScenarios(t *testing.T) {
	sameScenarios(t, harness.Draw(t, suite(t), *scenarios))
}

// suite returns the scenarios that ship.
func suite(t *testing.T) []*spec.Scenario {
	t.Helper()
	set, err := loader.LoadSuite()
	if err != nil {
		t.Fatal(err)
	}
	return set.Scenarios
}

func sameScenarios(t *testing.T, all []*spec.Scenario) {
	t.Helper()
	if testing.Short() {
		t.Skip("it requires kube-apiserver")
	}
	for _, version := range []objectstorage.Version{objectstorage.V1alpha2, objectstorage.V1alpha1} {
		t.Run(string(version), func(t *testing.T) {
			engines := [2]*runner{startRunner(t, planekind.Envtest, version), startRunner(t, planekind.Embedded, version)}
			t.Run("All", func(t *testing.T) { // the emulators stop when all have ended
				for _, s := range all {
					if s.API() == version {
						t.Run(s.Name, func(t *testing.T) {
							t.Parallel()
							sameRuns(t, engines, s)
						})
					}
				}
			})
		})
	}
}

func isIn(s *spec.Scenario, area string) bool {
	return strings.Contains("/"+filepath.ToSlash(s.Position.File), "/"+area+"/")
}

// runner runs scenarios on a control plane.
type runner struct {
	kind     planekind.Kind
	emulator *emulator.Emulator
	engine   *engine.Engine
}

func startRunner(t *testing.T, kind planekind.Kind, version objectstorage.Version) *runner {
	t.Helper()
	definitions, err := crds.For(version)
	if err != nil {
		t.Fatal(err)
	}
	plane := controlplanetest.StartKind(t, kind, controlplane.Options{CRDs: definitions})
	if err := plane.WaitReady(t.Context()); err != nil {
		t.Fatal(err)
	}
	emu, err := emulator.Start(t.Context(), emulator.Options{ControlPlane: plane, API: version})
	if err != nil {
		t.Fatal(err)
	}
	stopAfter(t, emu.Stop)
	return &runner{kind: kind, emulator: emu, engine: engine.New(emu, engine.Options{Patience: patience})}
}

func stopAfter(t *testing.T, stop func(context.Context) error) {
	t.Helper()
	t.Cleanup(func() {
		if err := stop(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
}

// run is the part of a run that is compared.
type run struct {
	trace   replay.Trace
	objects map[string]string
}

func (r *runner) run(t *testing.T, s *spec.Scenario) (run, bool) {
	t.Helper()
	result := r.engine.Run(t.Context(), s)
	switch result.Outcome {
	case outcome.Passed:
		events := result.Events(r.emulator.Journal(), result.Scope.Own())
		return run{replay.NewTrace(result.Namespace, events), replay.LastObjects(result.Namespace, events)}, true
	case outcome.Skipped:
		return run{}, false
	default:
		t.Fatalf("%s on %s: %v", result.Outcome, r.kind, result.Failures)
		return run{}, false
	}
}

// sameRuns runs a scenario on both control planes until a run on one is equal to a run on the
// other, or until the runs on one have had all that the runs on the other have had: which of
// two accesses is first, and whether a write comes before a deletion, is left to chance.
func sameRuns(t *testing.T, on [2]*runner, s *spec.Scenario) {
	t.Helper()
	var runs [2][]run
	difference := ""
	for range *attempts {
		for i, r := range on {
			one, ok := r.run(t, s)
			if !ok {
				t.Skip("it does not run on the fake driver")
			}
			runs[i] = append(runs[i], one)
		}
		if difference = nearest(runs[0], runs[1]); difference == "" {
			return
		}
		if cmp.Equal(seen(s, runs[0]), seen(s, runs[1])) {
			return
		}
	}
	t.Errorf("%d runs on each control plane are different (recorded on %s, replayed on %s):\n%s\nseen: %s",
		*attempts, planekind.Envtest, planekind.Embedded, difference, cmp.Diff(seen(s, runs[0]), seen(s, runs[1])))
}

// number is the number of an object among the objects that a repeat creates.
var number = regexp.MustCompile(`-\d+\b`)

// nameOf returns how a step or an object is compared. A fault of the third call meets whichever
// object is third: if a scenario has such faults, the objects of a repeat count as one.
func nameOf(s *spec.Scenario, step string) string {
	countsCalls := func(step spec.Step) bool {
		return step.Inject != nil && step.Inject.Nth > 1 && step.Inject.Subject == ""
	}
	if slices.ContainsFunc(s.Steps, countsCalls) {
		return number.ReplaceAllString(step, "-N")
	}
	return step
}

// nearest returns the difference of two runs, or nothing if some two are equal.
func nearest(programs, embedded []run) string {
	difference := ""
	for _, a := range programs {
		for _, b := range embedded {
			if difference = a.diff(b); difference == "" {
				return ""
			}
		}
	}
	return difference
}

// seen returns the steps of all runs of a scenario, and the objects that they left.
func seen(s *spec.Scenario, runs []run) map[string]bool {
	steps := map[string]bool{}
	for _, r := range runs {
		for _, step := range r.trace.Steps() {
			steps[step] = true
		}
		for name, object := range r.objects {
			steps[name+" = "+object] = true
		}
	}
	for _, r := range runs {
		maps.DeleteFunc(steps, func(step string, _ bool) bool { return r.isLateStatus(step) })
	}
	named := map[string]bool{}
	for step := range steps {
		named[nameOf(s, step)] = true
	}
	return named
}

// isLateStatus reports whether a step writes the status of an object that was deleted: the
// deletion may be faster.
func (r run) isLateStatus(step string) bool {
	for name, object := range r.objects {
		resource, subject, _ := strings.Cut(name, " ")
		if strings.Contains(object, "deletionGracePeriodSeconds") && strings.Contains(step, " "+resource+"/status "+subject+" -> ") {
			return true
		}
	}
	return false
}

func (r run) diff(other run) string {
	if found := replay.Diff(r.trace, other.trace); found != nil {
		return found.String()
	}
	return cmp.Diff(r.objects, other.objects)
}
