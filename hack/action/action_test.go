// Package action_test runs the scripts of action.yml as GitHub's runners do.
package action_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

// program replaces cosi-emu: it prints its arguments, one a line, and exits with a status.
const program = `#!/bin/sh
for argument; do echo "$argument"; done
exit ${STATUS:-0}
`

type step struct {
	Name, ID, Run, Uses, If string
	Env                     map[string]string
}

// definition has the fields of action.yml for the tests.
type definition struct {
	Inputs  map[string]struct{ Description, Default string }
	Outputs map[string]struct{ Description, Value string }
	Runs    struct{ Steps []step }
}

func load(t *testing.T) definition {
	t.Helper()
	text, err := os.ReadFile("../../action.yml")
	if err != nil {
		t.Fatal(err)
	}
	var loaded definition
	if err := yaml.Unmarshal(text, &loaded); err != nil {
		t.Fatal(err)
	}
	return loaded
}

type result struct{ said, reports, outcome string }

func runTest(t *testing.T, inputs map[string]string, status string) (result, int) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "cosi-emu"), []byte(program), 0o700); err != nil {
		t.Fatal(err)
	}
	return runStep(t, dir, dir, inputs, "STATUS="+status)
}

// runStep runs the step that tests the driver with the program in a directory. Its files are in temp.
func runStep(t *testing.T, programs, temp string, inputs map[string]string, env ...string) (result, int) {
	t.Helper()
	action := load(t)
	for name := range inputs {
		if _, known := action.Inputs[name]; !known {
			t.Fatalf("action.yml has no input %s", name)
		}
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range action.Runs.Steps {
		if s.ID != "test" {
			continue
		}
		cmd := exec.CommandContext(t.Context(), "bash", "-e", "-c", s.Run)
		cmd.Env = slices.Concat(env, []string{
			"PATH=" + programs + ":" + os.Getenv("PATH"), "GITHUB_ACTION_PATH=" + root,
			"RUNNER_TEMP=" + temp, "GITHUB_OUTPUT=" + filepath.Join(temp, "output"),
			"GITHUB_STEP_SUMMARY=" + filepath.Join(temp, "summary"),
		})
		for name, value := range s.Env {
			cmd.Env = append(cmd.Env, name+"="+evaluate(value, action, inputs))
		}
		said, err := cmd.CombinedOutput()
		if err != nil && cmd.ProcessState == nil {
			t.Fatal(err)
		}
		output, _ := os.ReadFile(filepath.Join(temp, "output")) // the test compares it
		outputs := map[string]string{}
		for line := range strings.Lines(string(output)) {
			name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
			outputs[name] = value
		}
		return result{string(said), outputs["reports"], outputs["outcome"]}, cmd.ProcessState.ExitCode()
	}
	t.Fatal("action.yml has no step test")
	return result{}, 0
}

func evaluate(text string, action definition, inputs map[string]string) string {
	for name, input := range action.Inputs {
		value, given := inputs[name]
		if !given {
			value = input.Default
		}
		text = strings.ReplaceAll(text, "${{ inputs."+name+" }}", value)
	}
	return text
}

func TestArguments(t *testing.T) {
	tests := map[string]struct {
		reason string
		inputs map[string]string
		want   []string
	}{
		"Conformance": {
			reason: "It is the default.", inputs: map[string]string{"driver-command": "./driver --state=$(STATE_DIR)"},
			want: []string{"conformance", "--driver-cmd", "./driver --state=$(STATE_DIR)", "--report", "DIR"},
		},
		"Profiles": {
			reason: "Each line is a profile.",
			inputs: map[string]string{"endpoint": "unix:///d.sock", "profiles": "Core\n S3\n\n", "arguments": "--seed\na b"},
			want: []string{
				"conformance", "--endpoint", "unix:///d.sock", "--profile", "Core", "--profile", "S3", "--report", "DIR", "--seed", "a b",
			},
		},
		"Suite": {
			reason: "Without scenarios, those that ship run.", inputs: map[string]string{"command": "run", "endpoint": "unix:///d.sock"},
			want: []string{
				"run", "--driver", "unix:///d.sock", "--suite", "--report", "html=DIR/report.html",
				"--report", "json=DIR/report.json", "--junit", "DIR/junit.xml", "--record", "DIR/recordings",
			},
		},
		"Explore": {
			reason: "The findings are among the reports.", inputs: map[string]string{"command": "explore", "scenarios": "a b.yaml\nc/"},
			want: []string{"explore", "a b.yaml", "c/", "--report", "html=DIR/report.html", "--out", "DIR"},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got, status := runTest(t, tc.inputs, "0")
			arguments := strings.Split(strings.TrimSuffix(strings.ReplaceAll(got.said, got.reports, "DIR"), "\n"), "\n")
			if diff := cmp.Diff(tc.want, arguments); diff != "" || status != 0 {
				t.Errorf("%s status %d, -want, +got:\n%s", tc.reason, status, diff)
			}
			if got.outcome != "passed" {
				t.Errorf("the outcome is %q", got.outcome)
			}
		})
	}
}

func TestRejected(t *testing.T) {
	for name, inputs := range map[string]map[string]string{
		"Command":  {"command": "up"},
		"NoDriver": {"command": "conformance"},
		"Both":     {"driver-command": "a", "endpoint": "unix:///d.sock"},
		"Nothing":  {"command": "explore"},
	} {
		t.Run(name, func(t *testing.T) {
			got, status := runTest(t, inputs, "0")
			if status != 2 || !strings.HasPrefix(got.said, "::error::") {
				t.Errorf("status %d, %q; want status 2 and an error", status, got.said)
			}
		})
	}
}

func TestOutcome(t *testing.T) {
	for status, want := range map[string]string{"0": "passed", "1": "failed", "2": "broken", "3": "broken"} {
		got, exited := runTest(t, map[string]string{"endpoint": "unix:///d.sock"}, status)
		if got.outcome != want || status != strconv.Itoa(exited) {
			t.Errorf("exit code %s: outcome %q and exit code %d, want %s", status, got.outcome, exited, want)
		}
	}
}

// TestInputsAreUsed checks that each input reaches a step, and that scripts get no text of an input as code.
func TestInputsAreUsed(t *testing.T) {
	text, err := os.ReadFile("../../action.yml")
	if err != nil {
		t.Fatal(err)
	}
	for name, input := range load(t).Inputs {
		if !strings.Contains(string(text), "inputs."+name) || input.Description == "" {
			t.Errorf("input %s is not used, or not described", name)
		}
	}
	for _, s := range load(t).Runs.Steps {
		if strings.Contains(s.Run, "${{") {
			t.Errorf("step %q evaluates an expression in its script", s.Name)
		}
	}
}

// TestPageHasInputs checks the table of docs/ci.md.
func TestPageHasInputs(t *testing.T) {
	page, err := os.ReadFile("../../docs/ci.md")
	if err != nil {
		t.Fatal(err)
	}
	inputs := load(t).Inputs
	for name, input := range inputs {
		value := " "
		if input.Default != "" {
			value = " `" + input.Default + "` "
		}
		if row := "| `" + name + "` |" + value + "| " + input.Description + " |\n"; !strings.Contains(string(page), row) {
			t.Errorf("docs/ci.md does not have the row %q", row)
		}
	}
	_, table, _ := strings.Cut(string(page), "<!-- inputs -->")
	table, _, _ = strings.Cut(table, "<!-- /inputs -->")
	if rows := strings.Count(table, "\n| `"); rows != len(inputs) {
		t.Errorf("docs/ci.md has %d inputs, want %d", rows, len(inputs))
	}
}
