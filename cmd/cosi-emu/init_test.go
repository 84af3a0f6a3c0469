package main_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/cosi-emu/cosi-emu/conformance"
)

// driverAuthor is a driver in a module of its own.
const driverAuthor = "../../examples/driver-author"

// TestInitScenario writes a scenario, checks it and runs it.
func TestInitScenario(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	file := filepath.Join("testdata", "My first.yaml")
	if out := h.must("init", "scenario", file); !strings.Contains(out, "cosi-emu run 'testdata/My first.yaml' --watch") {
		t.Errorf("init does not say how to run the file: %s", out)
	}
	if out := h.must("lint", file); out != "1 scenario in 1 file: no problems.\n" {
		t.Errorf("lint: %s", out)
	}
	if out := h.must("run", file); !strings.Contains(out, "1 passed") || !strings.Contains(out, "my-first") {
		t.Errorf("run:\n%s", out)
	}
	before := h.read(file)
	h.rejected("already exists", "init", "scenario", file)
	h.must("init", "scenario", file, "--force")
	if h.read(file) != before {
		t.Error("the file changes")
	}
	if out := h.must("init", "scenario", "-"); !strings.Contains(out, " cosi-emu lint scenario.yaml\n") {
		t.Errorf("the commands in the file at standard output do not have its default name:\n%s", out)
	}
	h.rejected("scenario, explore, driver-test, ci", "init", "test")
	h.rejected("requires one of", "init")
	if err := os.RemoveAll(filepath.Join(h.dir, "testdata")); err != nil {
		t.Fatal(err)
	}
}

func (h *home) read(name string) string {
	h.t.Helper()
	content, err := os.ReadFile(filepath.Join(h.dir, name))
	if err != nil {
		h.t.Fatal(err)
	}
	return string(content)
}

// copyDriver copies the module of a driver, without its tests.
func copyDriver(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(driverAuthor)); err != nil {
		t.Fatal(err)
	}
	tests, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil || len(tests) == 0 {
		t.Fatalf("the module has no tests: %v", err)
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range tests {
		if err := os.Remove(test); err != nil {
			t.Fatal(err)
		}
	}
	edit := exec.CommandContext(t.Context(), "go", "mod", "edit", "-replace", "github.com/cosi-emu/cosi-emu="+root)
	edit.Dir = dir
	if out, err := edit.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return dir
}

// TestLongInitDriverTest writes a test of a driver, and runs some of it.
func TestLongInitDriverTest(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	dir := copyDriver(t)
	h.must("init", "driver-test", filepath.Join(dir, "cosi_test.go"))
	test := exec.CommandContext(t.Context(), "go", "test", "-count=1", "-v", "-run", "TestScenarios|TestConformance/^CB-01$", ".")
	test.Dir = dir
	out, err := test.CombinedOutput()
	for _, passed := range []string{"TestConformance/CB-01", "TestScenarios/lifecycle"} {
		if err != nil || !strings.Contains(string(out), "--- PASS: "+passed) {
			t.Errorf("%s: %v\n%s", passed, err, out)
		}
	}
}

type workflowStep struct {
	Name string `yaml:"name"`
	Run  string `yaml:"run"`
}

func TestLongInitCI(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	dir := copyDriver(t)
	file := filepath.Join(dir, ".github", "workflows", "cosi.yaml")
	h.must("init", "ci", file)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var workflow struct {
		Jobs map[string]struct {
			Steps []workflowStep `yaml:"steps"`
		} `yaml:"jobs"`
	}
	if err := yaml.Unmarshal(text, &workflow); err != nil {
		t.Fatal(err)
	}
	for _, step := range workflow.Jobs["cosi"].Steps {
		if step.Run == "" || strings.HasPrefix(step.Run, "go install ") {
			continue
		}
		cmd := exec.CommandContext(t.Context(), "bash", "-e", "-c", step.Run)
		cmd.Dir = dir
		cmd.Env = append(slices.Clone(h.env), "PATH="+h.dir+":"+os.Getenv("PATH"), "RUNNER_TEMP="+dir)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", step.Name, err, out)
		}
	}
	for _, report := range []string{"junit.xml", "scenarios.html", filepath.Join("conformance", conformance.FileBadge)} {
		if _, err := os.Stat(filepath.Join(dir, report)); err != nil {
			t.Error(err)
		}
	}
}
