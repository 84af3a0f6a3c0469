package mutants

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/internal/explore"
	"github.com/cosi-emu/cosi-emu/internal/explore/run"
	"github.com/cosi-emu/cosi-emu/internal/report"
)

// root is the directory of the repository.
var root = filepath.Join("..", "..")

// TestPatches compares the patches with their files.
func TestPatches(t *testing.T) {
	files, err := filepath.Glob("patches/*.patch")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, p := range Patches() {
		if p.Bug == "" || len(p.Oracles) == 0 || len(p.Net) == 0 || p.Took == "" || (p.Lines == 0) != (p.Net[0] == "run") {
			t.Errorf("%+v: want a bug, a net, oracles, and what it took; an exploration has a shrunk scenario", p)
		}
		for _, word := range p.Net {
			if strings.HasSuffix(word, ".yaml") {
				exists(t, p.Name, filepath.Join(root, word))
			}
		}
		names = append(names, filepath.Join("patches", p.Name+".patch"))
	}
	if diff := cmp.Diff(files, slices.Sorted(slices.Values(names))); diff != "" {
		t.Errorf("-files, +Patches:\n%s", diff)
	}
}

// exists expects the file of a net. The nets run at night only; a moved file is found at once.
func exists(t *testing.T, name, file string) {
	t.Helper()
	if _, err := os.Stat(file); err != nil {
		t.Errorf("%s: %v", name, err)
	}
}

// TestPatchNets expects twenty bugs, of which nearly all are found by a net that does not
// know them.
func TestPatchNets(t *testing.T) {
	const least, leastUnwritten = 20, 17
	unwritten := 0
	for _, p := range Patches() {
		if !p.Written {
			unwritten++
		}
	}
	if all := len(Patches()); all < least || unwritten < leastUnwritten {
		t.Errorf("%d patches, %d of them found without a scenario written for them; want %d and %d", all, unwritten, least, leastUnwritten)
	}
}

// TestLongPatchesCompile verifies that every patch applies, and that the patched packages compile.
func TestLongPatchesCompile(t *testing.T) {
	t.Parallel()
	for _, p := range Patches() {
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			mutantsScript(t, "compile", p.Name)
		})
	}
}

// TestLongPatches builds all patches, and expects that their nets find them. A net may need
// minutes, in which it mostly waits, so this is for the night, several at a time.
func TestLongPatches(t *testing.T) {
	t.Parallel()
	if *sample != 0 {
		t.Skip("it takes an hour: run make mutants")
	}
	for _, p := range Patches() {
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			program := filepath.Join(t.TempDir(), "mutant")
			mutantsScript(t, "build", p.Name, program)
			for _, f := range p.found(t, program) {
				t.Logf("%s: %s\n%s", f.oracle, f.message, f.shrunk)
				if !slices.Contains(p.Oracles, f.oracle) {
					continue
				}
				switch {
				case slices.Contains(p.Net, "--lives"):
					checkShrunk(t, f.shrunk, mostLinesOfLife)
				case p.Net[0] == "explore":
					checkShrunk(t, f.shrunk, mostLinesWithInterference)
				}
				return
			}
			t.Errorf("no finding of the oracles %v", p.Oracles)
		})
	}
}

func mutantsScript(t *testing.T, args ...string) {
	t.Helper()
	script := exec.CommandContext(t.Context(), filepath.Join("hack", "mutants.sh"), args...)
	script.Dir = root
	if output, err := script.CombinedOutput(); err != nil {
		t.Fatalf("mutants.sh %v: %v\n%s", args, err, output)
	}
}

// finding is a finding of a net.
type finding struct{ oracle, message, shrunk string }

// found runs the net of a patch, by default on the control plane on which it takes a third of the time. Exploration confirms
// what it finds on kube-apiserver, too.
func (p Patch) found(t *testing.T, program string) []finding {
	t.Helper()
	out := t.TempDir()
	file := filepath.Join(out, "report.json")
	args := slices.Clone(p.Net)
	if !slices.Contains(args, "--control-plane") {
		args = append(args, "--control-plane", "embedded")
	}
	if p.Net[0] == "explore" {
		args = append(args, "--out", out, "--output", "json")
	} else {
		args = append(args, "--report", "json="+file)
	}
	net := exec.CommandContext(t.Context(), program, args...)
	net.Dir = root
	output, err := net.Output()
	failed, ok := errors.AsType[*exec.ExitError](err)
	if err == nil || !ok || failed.ExitCode() != 1 {
		t.Fatalf("%v ended with %v, want exit code 1 for findings", args, err)
	}
	if p.Net[0] == "explore" {
		return explored(t, output)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return ran(t, text)
}

func explored(t *testing.T, text []byte) []finding {
	t.Helper()
	var r struct {
		explore.Report

		Reports []explore.Report `json:"reports"` // of generated scenarios
	}
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatal(err)
	}
	var found []finding
	for _, of := range append(r.Reports, r.Report) {
		for _, g := range of.Findings {
			if g.Shrunk != "" {
				found = append(found, finding{g.Oracle, g.Message, g.Shrunk})
			}
		}
	}
	return found
}

func ran(t *testing.T, text []byte) []finding {
	t.Helper()
	var r report.Report
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatal(err)
	}
	var found []finding
	for i := range r.Scenarios {
		for _, f := range r.Scenarios[i].Failures {
			oracle := f.Oracle
			if oracle == "" {
				oracle = run.OracleSteps
			}
			found = append(found, finding{oracle: oracle, message: r.Scenarios[i].Name + ": " + f.Message})
		}
	}
	return found
}
