package suite_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
	"github.com/cosi-emu/cosi-emu/scenarios/engine"
	"github.com/cosi-emu/cosi-emu/scenarios/suite"
)

// limit is how long the whole suite may take on a running control plane.
const limit = time.Minute

// TestSuite runs every scenario as a subtest of its name, all against one control
// plane: go test ./scenarios/suite -run TestSuite/NAME runs one of them.
func TestSuite(t *testing.T) {
	all, err := suite.Load()
	if err != nil {
		t.Fatal(err)
	}
	e := engine.New(emulatortest.Start(t, emulator.Options{}), engine.Options{})
	var count atomic.Int64
	started := time.Now()
	t.Cleanup(func() { // before that of the emulator
		took := time.Since(started)
		t.Logf("%d scenarios in %s: %.1f a second", count.Load(), took.Round(time.Millisecond), float64(count.Load())/took.Seconds())
		if took > limit {
			t.Errorf("the suite took %s, and may take %s", took, limit)
		}
	})
	for _, s := range all {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			result := e.Run(t.Context(), s)
			count.Add(1)
			if result.Outcome != engine.Passed {
				t.Errorf("%s: %s\n%s", result.Outcome, s.Description, explain(result))
			}
		})
	}
}

// explain says why a scenario has not passed.
func explain(r engine.Result) string {
	var text strings.Builder
	for _, failure := range r.Failures {
		fmt.Fprintf(&text, "%s\n", failure.Error())
		for _, difference := range failure.Differences {
			fmt.Fprintf(&text, "  %s\n", difference)
		}
		if failure.Got != "" {
			fmt.Fprintf(&text, "got:\n%s\n", failure.Got)
		}
	}
	return text.String()
}
