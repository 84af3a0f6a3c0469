package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/test/bench/figure"
)

func TestMain(m *testing.M) {
	silenceLibraries()
	os.Exit(m.Run())
}

// TestLongSuites takes every measurement once, with the smallest load, so that all of them keep
// working. It checks no times.
func TestLongSuites(t *testing.T) {
	checkUnits(t, []string{
		// starts, claims, memory
		figure.UnitTimes, figure.UnitTimes, figure.UnitTimes, figure.UnitMegabytes, figure.UnitOperations,
		// scale: many at once, memory, among many, of one claim
		figure.UnitTimes, figure.UnitTimes, figure.UnitConflicts, figure.UnitTimes, figure.UnitKilobytes,
		figure.UnitTimes, figure.UnitTimes, figure.UnitExponent, figure.UnitExponent,
	}, "starts", "claims", "memory", "scale", "--control-plane=embedded",
		"--starts=1", "--claims=1", "--load=1", "--window=100ms", "--pairs=4", "--many=3", "--rounds=1")
}

// TestLongControlPlanes is TestLongSuites for the suite that runs the program on both control
// planes.
func TestLongControlPlanes(t *testing.T) {
	checkUnits(t, []string{
		// start, second start, lifecycle, exploration, scenarios, memory
		figure.UnitTimes, figure.UnitMilliseconds, figure.UnitTimes, figure.UnitTimes, figure.UnitTimes, figure.UnitMegabytes,
	}, "control-planes", "--starts=1", "--lifecycles=2", "--scenario=lifecycle*", "--load=1")
}

// checkUnits runs the command and compares the units of the figures.
func checkUnits(t *testing.T, want []string, args ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	dir, err := os.MkdirTemp("", "") //nolint:usetesting // the path of t.TempDir is too long for sockets
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	program := filepath.Join(dir, "bin", "cosi-emu")
	build := exec.CommandContext(ctx, "go", "build", "-C", filepath.Join("..", ".."), "-o", program, "./cmd/cosi-emu")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Setenv("XDG_STATE_HOME", dir)
	var out, progress bytes.Buffer
	if err := run(ctx, append(args, "--json", "--program="+program), &out, &progress); err != nil {
		t.Fatalf("%v\n%s", err, &progress)
	}
	var report figure.Report
	if err := json.Unmarshal(out.Bytes(), &report); err != nil {
		t.Fatalf("%v in %s", err, &out)
	}
	var units []string
	for _, f := range report.Figures {
		units = append(units, f.Unit)
		if f.Unit == figure.UnitTimes && f.Value <= 0 { // counters and growth may be zero with such a load
			t.Errorf("%s: %v %s", f.Name, f.Value, f.Unit)
		}
	}
	if diff := cmp.Diff(want, units); diff != "" {
		t.Errorf("the units of the figures: -want, +got:\n%s", diff)
	}
}

// TestRun runs a short suite, and arguments that are rejected.
func TestRun(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		reason string
		args   []string
		out    string
		err    string
	}{
		"S3": {
			reason: "Flags may follow a suite, as in make bench BENCH='s3 --requests 20'.",
			args:   []string{"s3", "--objects=200", "--requests=20", "--s3-rounds=1"}, out: "list 200 keys",
		},
		"Suite":   {reason: "The error lists the suites.", args: []string{"speed"}, err: `unknown suite "speed"; the suites are starts, `},
		"Plane":   {reason: "There are two, and auto.", args: []string{"--control-plane=remote"}, err: `"remote"`},
		"Timeout": {reason: "The error has the flag.", args: []string{"s3", "--timeout=1ns"}, err: "the limit of --timeout"},
		"Help":    {reason: "The help is not an error.", args: []string{"--help"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			err := run(t.Context(), tc.args, &out, io.Discard)
			switch {
			case tc.err == "" && err != nil, tc.err != "" && (err == nil || !strings.Contains(err.Error(), tc.err)):
				t.Errorf("%s\nrun() = %v, want %q", tc.reason, err, tc.err)
			case !strings.Contains(out.String(), tc.out):
				t.Errorf("%s\nrun() prints\n%s, want %q", tc.reason, &out, tc.out)
			}
		})
	}
}
