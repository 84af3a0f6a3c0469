package suite_test

import (
	"flag"
	"path"
	"strings"
	"testing"
	"time"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/scenario/loader"
	"github.com/cosi-emu/cosi-emu/internal/seam/operations"
	"github.com/cosi-emu/cosi-emu/scenarios"
)

// limit is the time limit for the whole suite on a running control plane. It is a flag, because a
// busy machine takes longer.
var limit = flag.Duration("suite.limit", 0, "fail if the whole suite takes longer, once the control plane is up; 0 is no limit")

// atATime is the default of -parallel. Scenarios mostly wait for the API server, so go test's
// default, the number of processors, would leave these idle.
const atATime = "8"

func TestMain(m *testing.M) {
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "test.parallel" })
	if !given {
		if err := flag.Set("test.parallel", atATime); err != nil {
			panic(err)
		}
	}
	m.Run()
}

// patience is for machines that run other tests, too, with the race detector.
const patience = 6

// TestSuite runs every scenario for v1alpha2 as a subtest of its name, all on one control plane: go
// test ./scenarios/suite -run TestSuite/NAME runs one of them.
func TestSuite(t *testing.T) { runSuite(t, emulator.Options{}, "*/*.yaml") }

// TestSuiteV1alpha1 runs every scenario for v1alpha1 in the same way.
func TestSuiteV1alpha1(t *testing.T) {
	runSuite(t, emulator.Options{API: objectstorage.V1alpha1, Strict: true}, olderGeneration+"/*/*.yaml")
}

// runSuite runs the scenarios of the files that match a pattern.
func runSuite(t *testing.T, opts emulator.Options, pattern string) {
	t.Helper()
	emu := emulatortest.Start(t, opts)
	if onlySome := strings.Contains(flag.Lookup("test.run").Value.String(), "/"); !onlySome {
		measure(t, pattern)
	}
	t.Cleanup(func() { checkOperations(t, emu.Journal()) })
	scenarios.Run(t, pattern, scenarios.On(emu), scenarios.Patience(patience))
}

func checkOperations(t *testing.T, j *journal.Journal) {
	t.Helper()
	checked := map[string]bool{}
	for _, e := range j.Since(0) {
		if name := e.Operation.Name; !checked[name] {
			checked[name] = true
			if err := operations.Check(e.Seam, name); err != nil {
				t.Errorf("lint rejects what %s does: %v", e.Component, err)
			}
		}
	}
}

// measure logs, at the end of the test, the speed of the scenarios whose files match a pattern.
func measure(t *testing.T, pattern string) {
	t.Helper()
	set, err := loader.LoadSuite()
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, s := range set.Scenarios {
		matches, err := path.Match(pattern, s.Position.File)
		if err != nil {
			t.Fatal(err)
		}
		if matches {
			count++
		}
	}
	started := time.Now()
	t.Cleanup(func() {
		took := time.Since(started)
		t.Logf("%d scenarios in %s: %.1f runs/s", count, took.Round(time.Millisecond), float64(count)/took.Seconds())
		if *limit > 0 && took > *limit {
			t.Errorf("the suite took %s, and may take %s", took, *limit)
		}
	})
}
