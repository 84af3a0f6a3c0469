package main_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
)

// suiteTimeout is the time limit of a run of the whole suite. Only a failing test waits that long.
const suiteTimeout = 15 * time.Minute

// runOnOwnDriver runs scenarios of the suite on a driver behind a socket, and counts their
// outcomes. None may fail.
func (h *home) runOnOwnDriver(args ...string) map[outcome.Outcome]int {
	h.t.Helper()
	socket := "unix://" + filepath.Join(h.dir, "d.sock")
	driver := h.start("driver", "--endpoint", socket, "--s3-bind-address", "127.0.0.1:0")
	h.waitForFile("d.sock")
	run := h.start(append([]string{"run", "--suite", "--api", "v1alpha2", "--driver", socket, "--report", "json=r.json"}, args...)...)
	select {
	case <-run.ended:
	case <-time.After(suiteTimeout):
		h.t.Errorf("the suite has not ended after %s", suiteTimeout)
	}
	if code := run.wait(); code != 0 {
		h.t.Errorf("exit code %d\n%s%s", code, run.out.String(), run.err.String())
	}
	counts := map[outcome.Outcome]int{}
	for _, outcome := range outcomes(h.readReport("r.json")) {
		counts[outcome]++
	}
	if err := os.Remove(filepath.Join(h.dir, "r.json")); err != nil {
		h.t.Error(err)
	}
	driver.signal(os.Interrupt)
	if code := driver.wait(); code != 0 {
		h.t.Errorf("the driver ends with %d: %s", code, driver.err.String())
	}
	return counts
}

// TestOwnDriver runs some of the suite on a driver behind a socket.
func TestOwnDriver(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	counts := h.runOnOwnDriver("--scenario", "whole-of-s3", "--scenario", "claim-first", "--scenario", "restart-into-an-old-list")
	if counts[outcome.Passed] != 3 {
		t.Errorf("the outcomes are %v, want three that passed", counts)
	}
}

// TestLongSuiteOnOwnDriver runs the suite on a driver behind a socket: most scenarios are not
// skipped.
func TestLongSuiteOnOwnDriver(t *testing.T) {
	const least = 100
	h := newHome(t)
	if counts := h.runOnOwnDriver(); counts[outcome.Passed] < least {
		t.Errorf("the outcomes are %v, want at least %d that passed", counts, least)
	}
}
