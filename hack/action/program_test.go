package action_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func build(t *testing.T, module, pkg, dir string) (program string) {
	t.Helper()
	program = filepath.Join(dir, filepath.Base(pkg))
	cmd := exec.CommandContext(t.Context(), "go", "build", "-C", module, "-o", program, pkg)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", cmd, err, out)
	}
	return program
}

// failing is a scenario that fails with each driver.
const failing = `apiVersion: cosi-emu/v1alpha1
kind: Scenario
name: failing
steps:
- expect: {BucketClaim/photos: present}
  timeout: 10ms
`

// TestLongProgram runs the step with cosi-emu and the driver of examples/driver-author, as a workflow does.
func TestLongProgram(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds cosi-emu")
	}
	programs := t.TempDir()
	build(t, "../..", "./cmd/cosi-emu", programs)
	driver := build(t, "../../examples/driver-author", "./cmd/driver", programs)
	example, err := filepath.Abs("../../examples/driver-author")
	if err != nil {
		t.Fatal(err)
	}
	bad := filepath.Join(programs, "failing.yaml")
	if err := os.WriteFile(bad, []byte(failing), 0o600); err != nil {
		t.Fatal(err)
	}
	const embedded = "--control-plane\nembedded"
	lifecycle := filepath.Join(example, "testdata", "lifecycle.yaml")
	for name, tc := range map[string]use{
		"Conformance": {
			reason:  "The driver conforms but for what only an object store shows, and each format of the report is there.",
			inputs:  map[string]string{"profiles": "Core", "arguments": "--params\n" + filepath.Join(example, "params.yaml")},
			outcome: "passed", said: "Core", summary: "| Core | not proved |",
			files: []string{"report.html", "report.yaml", "junit.xml"},
		},
		"Run": {
			reason:  "All scenarios of a directory pass, and are recorded.",
			inputs:  map[string]string{"command": "run", "scenarios": filepath.Join(example, "testdata"), "arguments": embedded},
			outcome: "passed", said: "2 passed", summary: "| 2 | 0 | 0 | 0 |",
			files: []string{"report.html", "report.json", "junit.xml", "recordings/lifecycle.*.cosirec", "recordings/calls.*.cosirec"},
		},
		"Fails": {
			reason:  "The step fails, and the reports say why.",
			inputs:  map[string]string{"command": "run", "scenarios": bad + "\n" + lifecycle, "arguments": embedded},
			outcome: "failed", status: 1, said: "1 failed", summary: "| 1 | 1 | 0 | 0 |",
			files: []string{"report.html", "report.json", "junit.xml", "recordings/failing.*.cosirec"},
		},
		"Explore": {
			reason:  "A sample of faults is tried, and the driver bears them.",
			inputs:  map[string]string{"command": "explore", "scenarios": lifecycle, "arguments": embedded + "\n--sample\n2\n--parallel\n1"},
			outcome: "passed", said: "no findings", summary: "COSI exploration", files: []string{"report.html"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			tc.inputs["driver-command"] = driver
			tc.run(t, programs)
		})
	}
}

// use is a use of the action with its expected results.
type use struct {
	reason        string
	inputs        map[string]string
	status        int
	outcome, said string
	summary       string
	files         []string // patterns of files among the reports
}

func (u use) run(t *testing.T, programs string) {
	t.Helper()
	temp := t.TempDir()
	got, status := runStep(t, programs, temp, u.inputs, "HOME="+temp, "XDG_STATE_HOME="+temp)
	if status != u.status || got.outcome != u.outcome || !strings.Contains(got.said, u.said) {
		t.Errorf("%s exit code %d and outcome %q, want %d and %q; the output must have %q:\n%s",
			u.reason, status, got.outcome, u.status, u.outcome, u.said, got.said)
	}
	summary, err := os.ReadFile(filepath.Join(temp, "summary"))
	if err != nil || !strings.Contains(string(summary), u.summary) {
		t.Errorf("%s The summary does not have %q: %v\n%s", u.reason, u.summary, err, summary)
	}
	if filepath.Dir(got.reports) != temp {
		t.Errorf("the reports are in %s, want a directory in %s", got.reports, temp)
	}
	for _, pattern := range u.files {
		expectFile(t, filepath.Join(got.reports, pattern))
	}
}

func expectFile(t *testing.T, pattern string) {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) != 1 {
		t.Errorf("%s: %v, %v; want one file", pattern, files, err)
		return
	}
	if info, err := os.Stat(files[0]); err != nil || info.Size() == 0 {
		t.Errorf("%s is empty: %v", files[0], err)
	}
}
