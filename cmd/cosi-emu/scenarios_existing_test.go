package main_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// TestRunExistingCluster runs the same scenarios on an existing cluster, with a driver whose
// backend the program cannot change.
func TestRunExistingCluster(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	x := h.newExisting()
	h.write("s.yaml", scenario("good", claims+ready+"- call: {method: DriverGetInfo, response: {name: '${driver}'}}\n")+
		scenario("looks", claims+"- parallel: [[{backend: {only: true}}]]\n")+
		scenario("changes", "- parallel: [[{backend: {createBucket: 'old-${scope}'}}]]\n")+
		strings.Replace(scenario("drivers", claims), "steps:", "setup: {drivers: [{name: one}, {name: two}]}\nsteps:", 1))

	r := h.run(append([]string{"run", "s.yaml", "--report", "json=own.json"}, x.args("--install")...)...)
	want := map[string]outcome.Outcome{"good": outcome.Passed, "looks": outcome.Passed, "changes": outcome.Passed, "drivers": outcome.Passed}
	if diff := cmp.Diff(want, outcomes(h.readReport("own.json"))); diff != "" || r.code != 0 {
		t.Errorf("exit code %d, -want, +got:\n%s\n%s%s", r.code, diff, r.out, r.err)
	}
	x.expectClean()

	socket := "unix://" + filepath.Join(h.dir, "d.sock")
	driver := h.start("driver", "--driver-name", "mine.example.com", "--endpoint", socket, "--s3-bind-address", "127.0.0.1:0")
	harness.Until(t, "the driver serves", func(context.Context) (bool, error) {
		return strings.Contains(driver.err.String(), "serving"), nil
	})
	r = h.run(append([]string{"run", "s.yaml", "--report", "json=mine.json"}, x.args("--install", "--driver", socket)...)...)
	want = map[string]outcome.Outcome{"good": outcome.Passed, "looks": outcome.Passed, "changes": outcome.Skipped, "drivers": outcome.Skipped}
	if diff := cmp.Diff(want, outcomes(h.readReport("mine.json"))); diff != "" || r.code != 0 {
		t.Errorf("exit code %d, -want, +got:\n%s\n%s%s", r.code, diff, r.out, r.err)
	}
	if !strings.Contains(r.out, "it changes the backend") || !strings.Contains(r.out, "it starts several drivers") {
		t.Errorf("it does not say why scenarios are skipped:\n%s", r.out)
	}
	x.expectClean()
	driver.signal(os.Interrupt)
	if code := driver.wait(); code != 0 {
		t.Errorf("the driver ends with %d: %s", code, driver.err.String())
	}
}
